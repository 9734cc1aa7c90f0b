"""What an evaluation tells a decoder: numbers against fp64, attention against a full softmax, and no waste."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

import axon
from axon.decoders import Confidence
from axon.engine import Engine
from axon.models import attention as attention_room
from axon.models import head
from axon.signals import AttentionNeed, Needs
from cases import golden, infill, ragged

ALL = Needs(entropy=True, margin=True, log_probs=True)


def frame_of(model, *canvases, block=4):
    engine = Engine(model, Confidence())
    for key, canvas in enumerate(canvases):
        engine.join(key, canvas, axon.Settings(block, block))
    return engine._frame(list(engine._rows.values()))


def exact(logits, mask):
    """Probabilities in fp64, the mask token left out."""
    logits = logits.double().clone()
    logits[:, mask] = -torch.inf
    return logits.softmax(dim=1)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0, 40.0]), st.integers(0, 8))
def test_readings_equal_an_fp64_softmax(seed, scale, mask):
    logits = torch.randn(6, 9, generator=torch.Generator().manual_seed(seed)) * scale
    probs = exact(logits, mask)
    reading = head.reduce(logits.clone(), mask, ALL)
    best, second = probs.topk(2, dim=1).values.T
    assert torch.equal(reading.token, probs.argmax(dim=1))
    assert mask not in reading.token
    torch.testing.assert_close(reading.confidence, best, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(reading.margin, best - second, rtol=1e-5, atol=1e-6)
    negative = (probs * (probs + 1e-10).log()).sum(dim=1)
    torch.testing.assert_close(reading.neg_entropy.double(), negative, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(reading.log_probs.double().exp(), probs, rtol=1e-5, atol=1e-6)
    assert reading.finite.all()


def test_confidences_close_to_one_keep_their_order():
    logits = torch.zeros(3, 4)
    logits[:, 0] = torch.tensor([22.0, 24.0, 23.0])
    confidence = head.reduce(logits, 3, Needs()).confidence
    assert confidence.argsort().tolist() == [0, 2, 1]


def test_the_mask_token_is_never_proposed_however_likely():
    logits = torch.tensor([[0.0, 50.0, 1.0]])
    reading = head.reduce(logits, 1, Needs())
    assert reading.token.tolist() == [2]
    noisy = head.reduce(torch.tensor([[0.0, 50.0, 1.0]]), 1, Needs(), torch.full((1, 3), 9.0))
    assert noisy.token.item() != 1


def test_a_drawn_token_has_its_noise_free_probability():
    logits = torch.tensor([[1.0, 2.0, 0.0, -1.0]])
    reading = head.reduce(logits.clone(), 3, Needs(), torch.tensor([[5.0, 0.0, 0.0, 0.0]]))
    assert reading.token.tolist() == [0]
    assert reading.confidence.item() == pytest.approx(exact(logits, 3)[0, 0].item(), abs=1e-7)


def test_noise_draws_tokens_as_often_as_the_temperature_says():
    logits, count = torch.tensor([2.0, 1.0, 0.0, -9.0]), 4000
    source = axon.models.Sampling(2.0, torch.Generator().manual_seed(1))
    noise = head.gumbel([source], torch.zeros(count, dtype=torch.long), 4)(0, count)
    tokens = head.reduce(logits.repeat(count, 1), 3, Needs(), noise).token
    seen = torch.bincount(tokens, minlength=4) / count
    expected = exact(logits[None] / 2.0, 3)[0]
    assert (seen - expected).abs().max() < 0.03


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_distribution_that_is_not_finite_is_marked(bad):
    logits = torch.zeros(2, 4)
    logits[1, 2] = bad
    reading = head.reduce(logits, 0, Needs())
    assert reading.finite.tolist() == [True, False]
    assert reading.confidence[1] == 0


def test_chunks_change_nothing(checkpoint, monkeypatch):
    frame = frame_of(checkpoint, infill(127, "xxx________"), infill(127, "x____"), block=8)
    whole = checkpoint.evaluate(frame, ALL)
    monkeypatch.setattr(head, "_CHUNK", 3 * checkpoint.vocab_size)
    parts = checkpoint.evaluate(frame, ALL)
    assert torch.equal(whole.token, parts.token)
    # A product of another shape may add in another order; by how much that shows depends on the CPU.
    for name in ("confidence", "margin", "neg_entropy", "log_probs"):
        torch.testing.assert_close(getattr(whole, name), getattr(parts, name), rtol=1e-4, atol=1e-5)


def test_only_what_was_asked_for_is_there(checkpoint):
    signals = checkpoint.evaluate(frame_of(checkpoint, infill(127, "x____")), Needs())
    assert (signals.neg_entropy, signals.margin, signals.log_probs, signals.attention) == (None, None, None, {})


def test_looking_reads_any_position(checkpoint):
    frame = frame_of(checkpoint, infill(127, "xxx____xx"), infill(127, "xx____"))
    signals = checkpoint.evaluate(frame, Needs())
    row, column = frame.masked.nonzero(as_tuple=True)
    where = torch.zeros_like(frame.valid)
    where[row, frame.positions[row, column]] = True
    reading = signals.look(where, Needs())
    assert torch.equal(reading.token, signals.token[frame.masked])
    torch.testing.assert_close(reading.confidence, signals.confidence[frame.masked])


class Shapes(TorchDispatchMode):
    """Notes the shape of every tensor that is made."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for made in out if isinstance(out, tuple | list) else (out,):
            if isinstance(made, torch.Tensor):
                self.seen.add(tuple(made.shape))
        return out


@pytest.mark.parametrize("cache", ["none", "dual"])
@pytest.mark.parametrize("text", ["confidence+axon", "dawn", "klass", "dreamschedule+axon.paper"])
def test_no_tensor_of_canvas_by_vocabulary_or_canvas_by_canvas_is_built(checkpoint, text, cache, monkeypatch):
    # DAWN's sinks need all rows and all columns, so many rows at a time; fewer here, as the canvas is short.
    monkeypatch.setattr(attention_room, "_ROWS", 8)
    length = 68
    canvas = infill(127, "x" * 60 + "_" * 8, 3)
    with Shapes() as shapes:
        axon.generate(checkpoint, canvas, axon.decoder(text), axon.Settings(4, 4, cache=cache))
    vocabulary = checkpoint.vocab_size
    rows = [torch.Size(shape[:-1]).numel() for shape in shapes.seen if shape and shape[-1] == vocabulary]
    assert 0 < max(rows) < length
    assert not [shape for shape in shapes.seen if shape[-2:] == (length, length)]


# Attention

NEEDS = [
    AttentionNeed("all"),
    AttentionNeed(3, columns="row", sinks=True),
    AttentionNeed(1 / 8, columns="block", sinks=True),
]


def attention_of(model, frame):
    return model.evaluate(frame, Needs(attention=frozenset(NEEDS))).attention


def assert_same(one, other, bound=1e-6):
    for need in NEEDS:
        assert (one[need].weights - other[need].weights).abs().max() <= bound
        if need.sinks:
            assert (one[need].sinks - other[need].sinks).abs().max() <= bound


def test_attention_by_log_sum_exp_equals_the_explicit_one(checkpoint, monkeypatch):
    frame = frame_of(checkpoint, *ragged(127)[:5], block=3)
    fused = attention_of(checkpoint, frame)
    real = attention_room.AttentionCall.capture

    def without(self, layer, query, key, lse, scale):
        assert lse is not None
        real(self, layer, query, key, None, scale)

    monkeypatch.setattr(attention_room.AttentionCall, "capture", without)
    assert_same(fused, attention_of(checkpoint, frame))


def test_attention_in_a_padded_batch_equals_attention_alone(checkpoint):
    rows = ragged(127)
    together = attention_of(checkpoint, frame_of(checkpoint, *rows, block=3))
    for index, row in enumerate(rows):
        frame = frame_of(checkpoint, row, block=3)
        alone = attention_of(checkpoint, frame)
        width, length = frame.masked.shape[1], frame.tokens.shape[1]
        for need in NEEDS:
            columns = length if need.columns == "row" else width
            mine = together[need].weights[index]
            # The formula is exact to 1e-7; what differs is the rounding of the layers below.
            assert (mine[:width, :columns] - alone[need].weights[0]).abs().max() <= 3e-6
            assert (mine[:, columns:] == 0).all()
            if need.sinks:
                assert (together[need].sinks[index, :columns] - alone[need].sinks[0]).abs().max() <= 3e-6


def test_sinks_taken_in_parts_equal_sinks_taken_at_once(checkpoint, monkeypatch):
    frame = frame_of(checkpoint, *ragged(127)[:4], block=3)
    whole = attention_of(checkpoint, frame)
    monkeypatch.setattr(attention_room, "_ROWS", 4)
    assert_same(whole, attention_of(checkpoint, frame))


def test_attention_sums_to_one_over_the_row(model):
    frame = frame_of(model, *ragged(model.mask_id)[:3], block=3)
    need = AttentionNeed("all", columns="row", sinks=True)
    found = model.evaluate(frame, Needs(attention=frozenset({need}))).attention[need]
    assert found.weights.sum(dim=2)[frame.inside].tolist() == pytest.approx([1.0] * int(frame.inside.sum()), abs=1e-5)
    assert found.sinks.sum(dim=1).tolist() == pytest.approx([1.0] * 3, abs=1e-5)


def test_an_evaluation_without_attention_needs_tells_the_same(checkpoint):
    frame = frame_of(checkpoint, *ragged(127)[:3], block=3)
    plain, captured = (checkpoint.evaluate(frame, need) for need in (Needs(), Needs(attention=frozenset(NEEDS))))
    assert torch.equal(plain.token, captured.token)
    torch.testing.assert_close(plain.confidence, captured.confidence, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("layers", "depth", "first"),
    [
        ("all", 32, 0),
        (4, 32, 28),
        (1 / 8, 32, 28),
        (1 / 8, 28, 24),
        (1 / 8, 2, 1),
        (40, 32, 0),
        (1.0, 5, 0),
        (0.55, 20, 9),
    ],
)
def test_layers_are_counted_from_the_last_and_a_fraction_is_rounded_up(layers, depth, first):
    assert AttentionNeed(layers).first_layer(depth) == first


def test_needs_add_up():
    both = Needs(entropy=True, attention=frozenset(NEEDS[:1])) | Needs(margin=True, attention=frozenset(NEEDS[1:]))
    assert (both.entropy, both.margin, both.log_probs, both.attention) == (True, True, False, frozenset(NEEDS))


def test_the_golden_models_are_left_as_they_were():
    weights = golden("llada").network.state_dict().values()
    assert all(torch.isfinite(weight).all() for weight in weights)
