"""Checkpoint folders: what loads, what is refused, and what the refusal says."""

import copy
import json
import shutil
import sys

import pytest
import torch
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import axon
from axon.decoders import Dawn
from axon.models import linear
from cases import GOLDEN, golden, infill, pictures

FAMILIES = ["llada", "dream"]


@pytest.fixture
def folder(tmp_path):
    """Copies a golden checkpoint, config and weights only, with changes to its config (None removes a field)."""

    def make(family, **changes):
        place = tmp_path / f"{family}-copy"
        place.mkdir(exist_ok=True)
        for name in ("config.json", "model.safetensors"):
            shutil.copy(GOLDEN / family / name, place / name)
        config = json.loads((place / "config.json").read_text()) | changes
        kept = {name: value for name, value in config.items() if name not in changes or value is not ...}
        (place / "config.json").write_text(json.dumps(kept))
        return place

    return make


def reweigh(place, change):
    """Rewrites the weights of a folder; `change` edits the dict of tensors."""
    tensors = load_file(place / "model.safetensors")
    change(tensors)
    save_file(tensors, place / "model.safetensors")


def refused(place, *says, **options):
    """The folder is refused in one sentence that names each of these."""
    with pytest.raises(axon.LoadError) as caught:
        axon.load(place, **options)
    message = str(caught.value)
    assert "\n" not in message
    for part in says:
        assert part in message
    return message


def same(one, other):
    """Two models whose weights are equal bit for bit."""
    left, right = one.network.state_dict(), other.network.state_dict()
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


SOME = {"llada": "model.transformer.blocks.3.attn_out.weight", "dream": "model.layers.3.self_attn.o_proj.weight"}
HEAD = {"llada": "model.transformer.ff_out.weight", "dream": "lm_head.weight"}
EMBEDDING = {"llada": "model.transformer.wte.weight", "dream": "model.embed_tokens.weight"}


# Weights


@pytest.mark.parametrize("family", FAMILIES)
def test_a_missing_tensor_is_named_as_the_checkpoint_names_it(folder, family):
    place = folder(family)
    reweigh(place, lambda tensors: tensors.pop(SOME[family]))
    refused(place, "lacks", SOME[family])


@pytest.mark.parametrize("family", FAMILIES)
def test_an_extra_tensor_is_named(folder, family):
    place = folder(family)
    reweigh(place, lambda tensors: tensors.update({"model.vision.weight": torch.zeros(2)}))
    refused(place, "unexpected", "model.vision.weight")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_layer_too_many_is_named(folder, family):
    extra = SOME[family].replace("3", "99")
    place = folder(family)
    reweigh(place, lambda tensors: tensors.update({extra: torch.zeros(32, 32)}))
    refused(place, "unexpected", extra)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mis_shaped_tensor_is_named_with_both_shapes(folder, family):
    place = folder(family)
    reweigh(place, lambda tensors: tensors.update({SOME[family]: torch.zeros(32, 16)}))
    refused(place, SOME[family], "(32, 16)", "(32, 32)")


@pytest.mark.parametrize("keep", [0, 5, 2000, -10], ids=["empty", "no header", "header cut", "tail cut"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_truncated_file_is_refused(folder, family, keep):
    place = folder(family)
    weights = place / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    refused(place, "model.safetensors", "cut short")


def shard(place, parts=3):
    """Splits the single file of a folder into shards with an index."""
    tensors = load_file(place / "model.safetensors")
    names, where = sorted(tensors), {}
    for part in range(parts):
        file = f"model-{part + 1:05d}-of-{parts:05d}.safetensors"
        mine = {name: tensors[name] for name in names[part::parts]}
        save_file(mine, place / file)
        where |= dict.fromkeys(mine, file)
    (place / "model.safetensors").unlink()
    (place / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": where}))


@pytest.mark.parametrize("family", FAMILIES)
def test_shards_load_to_the_same_weights_as_a_single_file(folder, family):
    place = folder(family)
    shard(place)
    assert same(axon.load(place), golden(family))


def test_a_missing_shard_is_named(folder):
    place = folder("llada")
    shard(place)
    (place / "model-00002-of-00003.safetensors").unlink()
    refused(place, "model-00002-of-00003.safetensors")


@pytest.mark.parametrize("text", ["{", "[]", '{"weight_map": 3}', "{}", '{"weight_map": {"a": 5}}'])
def test_a_broken_index_is_refused(folder, text):
    place = folder("llada")
    shard(place)
    (place / "model.safetensors.index.json").write_text(text)
    refused(place, "model.safetensors.index.json")


def test_a_folder_without_weights_is_refused(folder):
    place = folder("dream")
    (place / "model.safetensors").unlink()
    refused(place, "neither model.safetensors nor model.safetensors.index.json")


@pytest.mark.parametrize(("family", "field"), [("llada", "weight_tying"), ("dream", "tie_word_embeddings")])
def test_tied_weights_are_shared_whether_or_not_the_file_repeats_them(folder, family, field):
    place = folder(family, **{field: True})
    repeated = axon.load(place)
    reweigh(place, lambda tensors: tensors.pop(HEAD[family]))
    left_out = axon.load(place)
    assert same(repeated, left_out)
    network = left_out.network
    assert network.lm_head.weight is network.model.embed_tokens.weight
    stored = load_file(place / "model.safetensors")[EMBEDDING[family]].float()
    assert torch.equal(network.lm_head.weight, stored)


# Config

NEEDED = {
    "llada": [
        "d_model",
        "n_heads",
        "n_layers",
        "mlp_hidden_size",
        "max_sequence_length",
        "rms_norm_eps",
        "rope_theta",
        "mask_token_id",
    ],
    "dream": [
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "max_position_embeddings",
        "rms_norm_eps",
        "rope_theta",
        "mask_token_id",
    ],
}
EACH = [(family, field) for family in FAMILIES for field in NEEDED[family]]


@pytest.mark.parametrize(("family", "field"), EACH)
@pytest.mark.parametrize("value", [..., None, "many", -1], ids=["missing", "null", "text", "negative"])
def test_a_needed_field_is_named_when_it_is_missing_or_wrong(folder, family, field, value):
    refused(folder(family, **{field: value}), "config.json", field)


def test_the_vocabulary_is_named_when_llada_gives_neither_of_its_sizes(folder):
    refused(folder("llada", embedding_size=..., vocab_size=...), "vocab_size")


@pytest.mark.parametrize(
    ("family", "field", "value"),
    [
        ("llada", "n_heads", 3),
        ("llada", "n_kv_heads", 3),
        ("llada", "n_kv_heads", "four"),
        ("llada", "n_kv_heads", -4),
        ("llada", "embedding_size", -5),
        ("dream", "num_attention_heads", 3),
        ("dream", "num_key_value_heads", 3),
        ("llada", "mask_token_id", 128),
        ("dream", "mask_token_id", 5000),
    ],
)
def test_sizes_that_do_not_fit_together_are_refused(folder, family, field, value):
    refused(folder(family, **{field: value}))


@pytest.mark.parametrize(
    ("family", "field", "value"),
    [
        ("llada", "block_type", "sequential"),
        ("llada", "alibi", True),
        ("llada", "rope", False),
        ("llada", "include_bias", True),
        ("llada", "attention_layer_norm", True),
        ("llada", "activation_type", "swiglu"),
        ("llada", "layer_norm_type", "default"),
        ("llada", "scale_logits", True),
        ("dream", "hidden_act", "gelu"),
        ("dream", "use_sliding_window", True),
        ("dream", "rope_scaling", {"type": "yarn", "factor": 4.0}),
    ],
)
def test_a_variant_we_do_not_build_is_refused_by_field(folder, family, field, value):
    refused(folder(family, **{field: value}), field, repr(value))


def test_another_architecture_is_refused_by_name(folder):
    place = folder("llada", architectures=["LlamaForCausalLM"], model_type="llama")
    refused(place, "LlamaForCausalLM", "LLaDAModelLM", "DreamModel")


@pytest.mark.parametrize("value", [..., None, [], "LLaDAModelLM", [3]])
def test_a_config_that_does_not_say_its_architecture_is_told_so(folder, value):
    refused(folder("llada", architectures=value, model_type=...), "architectures")


@pytest.mark.parametrize("text", ["", "{", "not json", "[1, 2]", "null", "\ufeff{}"])
def test_a_config_that_is_no_json_object_is_refused(folder, text):
    place = folder("llada")
    (place / "config.json").write_text(text)
    refused(place, "config.json")


def test_a_folder_without_config_and_a_file_are_refused(tmp_path):
    refused(tmp_path, "no config.json")
    (tmp_path / "weights.bin").write_text("x")
    refused(tmp_path / "weights.bin", "is a file")


def test_a_checkpoint_describes_itself(llada, dream):
    assert (llada.mask_id, llada.eos_ids, llada.vocab_size, llada.max_length) == (127, {126}, 128, 512)
    assert (dream.mask_id, dream.eos_ids, dream.shift, llada.shift) == (127, {126}, 1, 0)
    assert llada.describe()["family"] == "llada"
    assert dream.describe() | {"name": ""} == {
        "name": "",
        "family": "dream",
        "revision": None,
        "dtype": "float32",
        "device": "cpu",
    }
    assert not llada.has_tokenizer
    assert not llada.has_chat_template


# Device and dtype


@pytest.mark.parametrize("dtype", ["int8", "bf16", "torch", "", "float8_e4m3fn", "nn", None, 16])
def test_an_unknown_dtype_answers_with_the_known_ones(dtype):
    with pytest.raises(axon.AxonError, match=r"dtype must be .*float32.*bfloat16"):
        axon.load(GOLDEN / "llada", dtype=dtype)


@pytest.mark.parametrize("device", ["cuda:99", "gpu", "", "meta", None])
def test_a_device_that_is_not_there_is_refused(device):
    with pytest.raises(axon.AxonError, match="device"):
        axon.load(GOLDEN / "llada", device=device)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_half_precision_loads_and_decodes(family, dtype):
    model = axon.load(GOLDEN / family, dtype=dtype)
    assert model.describe()["dtype"] == dtype
    rows = [infill(127, "xxx______"), infill(127, "xxxxxxx___xx")]
    for cache in ("none", "dual"):
        for out in axon.generate(model, rows, axon.Axon(Dawn()), axon.Settings(6, 3, cache=cache, stop_at_eos=False)):
            assert out.finish_reason == "length"
            assert 127 not in out.canvas


def test_a_torch_dtype_and_device_are_as_good_as_their_names():
    model = axon.load(GOLDEN / "llada", dtype=torch.bfloat16, device=torch.device("cpu"))
    assert model.describe()["dtype"] == "bfloat16"


# Tokenizers

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())[:110]
CHAT = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|eot_id|>{% endfor %}<|assistant|>"


def letters():
    """110 one-character tokens of a byte-level alphabet that holds printable ASCII."""
    ascii_first = sorted(pre_tokenizers.ByteLevel.alphabet(), key=lambda mark: (ord(mark) > 126 and mark != "Ġ", mark))
    return {mark: index for index, mark in enumerate(ascii_first[:110])}


def add_llada_tokenizer(place):
    tokenizer = Tokenizer(models.BPE(vocab=letters(), merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    while tokenizer.get_vocab_size() < 123:
        tokenizer.add_tokens([f"<filler{tokenizer.get_vocab_size()}>"])
    tokenizer.add_special_tokens(["<|user|>", "<|assistant|>", "<|eot_id|>", "<|endoftext|>", "<|mdm_mask|>"])
    tokenizer.save(str(place / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
        "chat_template": CHAT,
    }
    (place / "tokenizer_config.json").write_text(json.dumps(config))
    return tokenizer


def test_a_llada_folder_brings_its_tokenizer_and_chat_template(folder):
    place = folder("llada")
    tokenizer = add_llada_tokenizer(place)
    assert tokenizer.token_to_id("<|mdm_mask|>") == 127
    model = axon.load(place)
    assert model.has_tokenizer
    assert model.has_chat_template
    text = "Hello, world: 2+2?"
    assert model.encode(text) == tokenizer.encode(text, add_special_tokens=False).ids
    assert model.decode(model.encode(text)) == text
    chat = model.chat([{"role": "user", "content": "Hi"}])
    assert chat == [123, *tokenizer.encode("Hi").ids, 125, 124]
    assert model.eos_ids == {125, 126}, "EOS and the end of a turn"


def test_special_tokens_are_left_out_of_the_text(folder):
    place = folder("llada")
    add_llada_tokenizer(place)
    model = axon.load(place)
    assert model.decode([*model.encode("ab"), 126, 125, 127]) == "ab"


def test_text_chats_and_infilling_work_with_a_tokenizer(folder):
    place = folder("llada")
    add_llada_tokenizer(place)
    model = axon.load(place)
    settings = axon.Settings(6, 3, stop_at_eos=False)
    by_text, by_ids = (axon.generate(model, p, settings=settings)[0] for p in ("Hi there", model.encode("Hi there")))
    assert pictures(by_text) == pictures(by_ids)
    (chat,) = axon.generate(model, [{"role": "user", "content": "Hi"}], settings=settings)
    assert len(chat.tokens) == 6
    (out,) = axon.generate(model, axon.Canvas.from_text(model, "def f(x):[MASK:4] return y"), settings=settings)
    assert out.document.startswith("def f(x):")
    assert out.document.endswith(" return y")


def test_a_prompt_that_spells_the_mask_token_is_refused(folder):
    place = folder("llada")
    add_llada_tokenizer(place)
    with pytest.raises(axon.AxonError, match="mask token 127"):
        axon.generate(axon.load(place), "Hi <|mdm_mask|>")


def test_a_dream_folder_brings_its_tokenizer_and_runs_no_remote_code(folder):
    place = folder("dream")
    (place / "vocab.json").write_text(json.dumps(letters()))
    (place / "merges.txt").write_text("#version: 0.2\n")
    (place / "tokenization_dream.py").write_text(f"open({str(place / 'ran')!r}, 'w').close()\nraise SystemExit\n")
    specials = {123: "<|im_start|>", 124: "<|im_end|>", 125: "<|beginoftext|>", 126: "<|endoftext|>", 127: "<|mask|>"}
    fillers = {index: f"<filler{index}>" for index in range(110, 123)}
    config = {
        "tokenizer_class": "DreamTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_dream.DreamTokenizer", None]},
        "added_tokens_decoder": {
            str(index): {
                "content": content,
                "special": index >= 123,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "single_word": False,
            }
            for index, content in (fillers | specials).items()
        },
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
        "mask_token": "<|mask|>",
        "chat_template": "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}<|im_start|>",
    }
    (place / "tokenizer_config.json").write_text(json.dumps(config))
    model = axon.load(place)
    assert not (place / "ran").exists()
    assert model.decode(model.encode("Hello there!")) == "Hello there!"
    assert model.encode("<|mask|>") == [127]
    hi = [letters()[mark] for mark in "Hi"]
    assert model.chat([{"role": "user", "content": "Hi"}]) == [123, *hi, 124, 123]
    assert model.eos_ids == {124, 126}
    (out,) = axon.generate(model, "Hello", settings=axon.Settings(4, 2, stop_at_eos=False))
    assert len(out.tokens) == 4


def test_eos_ids_come_from_config_and_generation_config(folder):
    place = folder("llada", eos_token_id=3)
    (place / "generation_config.json").write_text(json.dumps({"eos_token_id": [4, 5]}))
    assert axon.load(place).eos_ids == {3, 4, 5}


@pytest.mark.parametrize("name", ["tokenizer.json", "generation_config.json"])
def test_a_side_file_that_cannot_be_read_is_named(folder, name):
    place = folder("llada")
    (place / name).write_text("{ not json")
    refused(place, name.split(".")[0].split("_")[0])


def test_a_chat_without_a_template_is_refused(folder):
    place = folder("llada")
    add_llada_tokenizer(place)
    config = json.loads((place / "tokenizer_config.json").read_text())
    del config["chat_template"]
    (place / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(axon.AxonError, match="no chat template"):
        axon.generate(axon.load(place), [{"role": "user", "content": "Hi"}])


# Names


@pytest.mark.parametrize("name", ["nowhere", "./nowhere/else", "/no/such/folder", "a/b/c", "~/models/x"])
def test_a_folder_that_is_not_there_is_refused(name):
    refused(name, "there is no folder", name)


def failing_hub(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)


# The HTTP library is the hub library's own choice.
httpx = sys.modules[HfHubHTTPError.__mro__[1].__module__.partition(".")[0]]
HUB_ERRORS = [
    LocalEntryNotFoundError("cannot reach the hub\nsecond line"),
    OSError("disk full"),
    httpx.ConnectError("no route to host"),
    RepositoryNotFoundError("401 Client Error", response=httpx.Response(401, request=httpx.Request("GET", "http://h"))),
]


@pytest.mark.parametrize("error", HUB_ERRORS, ids=[type(error).__name__ for error in HUB_ERRORS])
def test_a_hub_id_that_cannot_be_had_is_one_sentence(monkeypatch, error):
    failing_hub(monkeypatch, error)
    refused("GSAI-ML/LLaDA-8B-Instruct", "GSAI-ML/LLaDA-8B-Instruct", "hub")


def test_a_hub_id_loads_the_snapshot_of_its_revision_without_python_files(monkeypatch, folder):
    asked = {}

    def deliver(name, **options):
        asked.update(options, name=name)
        return str(folder("llada"))

    monkeypatch.setattr("huggingface_hub.snapshot_download", deliver)
    model = axon.load("someone/tiny", revision="abc")
    assert (asked["name"], asked["revision"]) == ("someone/tiny", "abc")
    assert not any("py" in pattern or pattern == "*" for pattern in asked["allow_patterns"])
    assert (model.name, model.describe()["revision"]) == ("someone/tiny", "abc")
    assert same(model, golden("llada"))


def test_the_toy_needs_no_folder():
    assert axon.load("toy").describe()["family"] == "toy"


def test_few_rows_through_a_large_matrix_give_the_same_product(monkeypatch):
    monkeypatch.setattr(linear, "_LARGE", 64 * 96)
    network = torch.nn.Sequential(torch.nn.Linear(64, 96, bias=False), torch.nn.Linear(96, 8))
    stock = [copy.deepcopy(part) for part in network]
    linear.use_few_rows(network)
    assert [type(part) for part in network] == [linear.FewRowsLinear, torch.nn.Linear]
    assert network.state_dict().keys() == torch.nn.Sequential(*stock).state_dict().keys()
    for rows in (torch.randn(3, 64), torch.randn(2, 5, 64), torch.randn(0, 64), torch.randn(200, 64)):
        assert network[0](rows).shape == stock[0](rows).shape
        torch.testing.assert_close(network[0](rows), stock[0](rows))
    many = torch.randn(200, 64)
    assert torch.equal(network[0](many), stock[0](many))
