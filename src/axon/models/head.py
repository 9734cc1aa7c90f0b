"""From hidden states to what a decoder reads, without a tensor of canvas by vocabulary.

Logits exist for one chunk of positions at a time and are reduced at once. Nothing of vocabulary size is
kept in fp64; confidences are, a few numbers each, because decoders rank and compare them.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from axon.models.base import Sampling
from axon.signals import Frame, Needs, Reading, Signals

# Logits of one chunk stay below this many numbers: 64 MB in fp32.
_CHUNK = 16 * 1024 * 1024

Project = Callable[[Tensor], Tensor]


def fine(device: torch.device) -> torch.dtype:
    """The dtype of confidences: fp64 wherever the device has it."""
    return torch.float32 if device.type == "mps" else torch.float64


def reduce(logits: Tensor, mask_id: int, needs: Needs, noise: Tensor | None = None) -> Reading:
    """Read n distributions, logits (n, V); the mask token can never be proposed.

    noise (n, V) is added when choosing the token; its confidence comes from the noise-free distribution.
    """
    logits = logits.float()
    logits[:, mask_id] = -torch.inf
    peak, token = logits.max(dim=1)
    odds = (logits - peak[:, None]).exp_()
    # The peak's own 1 is left out of the sum, so that confidences close to 1 keep their order: in fp32,
    # 1 + 1e-9 is 1, and a saturated model would tie everywhere.
    odds.scatter_(1, token[:, None], 0.0)
    rest = odds.sum(dim=1).to(fine(logits.device))
    confidence = 1 / (1 + rest)
    # An infinite peak would hide in the confidence: its own term has just been left out.
    finite = torch.isfinite(confidence) & torch.isfinite(peak)
    neg_entropy = margin = log_probs = None
    if needs.margin:
        margin = (1 - odds.amax(dim=1).to(rest)) * confidence
    if needs.log_probs or needs.entropy:
        log_probs = logits - peak[:, None] - torch.log1p(rest)[:, None].float()
    if needs.entropy and log_probs is not None:
        probs = log_probs.exp()
        neg_entropy = (probs * (probs + 1e-10).log()).sum(dim=1)
    if noise is not None:
        token = (logits + noise).argmax(dim=1)
        drawn = (logits.gather(1, token[:, None])[:, 0] - peak).exp().to(rest)
        confidence = drawn * confidence
    confidence = torch.where(finite, confidence, torch.zeros_like(confidence))
    return Reading(token, confidence, finite, neg_entropy, margin, log_probs if needs.log_probs else None)


def read(
    hidden: Tensor, project: Project, mask_id: int, needs: Needs, noise: Callable[[int, int], Tensor] | None = None
) -> Reading:
    """Read n positions from what `project` turns into logits, hidden (n, d), chunk by chunk.

    noise(first, last) gives the noise of positions first to last, (last - first, V).
    """
    vocabulary = project(hidden[:0]).shape[1]
    size = max(1, _CHUNK // vocabulary)
    chunks = [
        reduce(project(part), mask_id, needs, None if noise is None else noise(first, first + len(part)))
        for first, part in _chunks(hidden, size)
    ]
    if len(chunks) == 1:
        return chunks[0]

    def join(name: str) -> Tensor | None:
        parts = [getattr(chunk, name) for chunk in chunks]
        return None if parts[0] is None else torch.cat(parts)

    token, confidence, finite = (join(name) for name in ("token", "confidence", "finite"))
    assert token is not None
    assert confidence is not None
    assert finite is not None
    return Reading(token, confidence, finite, join("neg_entropy"), join("margin"), join("log_probs"))


def _chunks(hidden: Tensor, size: int) -> Iterator[tuple[int, Tensor]]:
    for first in range(0, max(1, len(hidden)), size):
        yield first, hidden[first : first + size]


def gumbel(sampling: Sequence[Sampling | None], rows: Tensor, vocabulary: int) -> Callable[[int, int], Tensor]:
    """Noise for positions of the given rows (n,), each row's from its own generator and times its temperature.

    A row's draws depend on its own positions alone, in their order, so neighbours and chunks change nothing.
    """
    counts = torch.bincount(rows, minlength=len(sampling)).tolist()
    owner = [row for row, count in enumerate(counts) for _ in range(count)]

    def noise(first: int, last: int) -> Tensor:
        out = torch.zeros(last - first, vocabulary, dtype=torch.float64, device=rows.device)
        for index, row in enumerate(owner[first:last]):
            draw = sampling[row]
            if draw is not None:
                # fp64, because fp32 noise has no tail and quietly lowers the temperature (arXiv 2409.02908).
                out[index].exponential_(generator=draw.generator).log_().mul_(-draw.temperature)
        return out

    return noise


def signals_from(
    frame: Frame,
    needs: Needs,
    sampling: Sequence[Sampling | None] | None,
    hidden_at: Callable[[Tensor, Tensor], Tensor],
    project: Project,
    mask_id: int,
) -> Signals:
    """Read the block's masked positions; hidden_at(rows, positions) gives what `project` wants, (n, d).

    Attention is left empty for the caller to fill in.
    """

    def look(where: Tensor, asked: Needs) -> Reading:
        return read(hidden_at(*where.nonzero(as_tuple=True)), project, mask_id, asked)

    row, column = frame.masked.nonzero(as_tuple=True)
    noise = None
    hidden = hidden_at(row, frame.positions[row, column])
    if sampling is not None and any(draw is not None for draw in sampling):
        noise = gumbel(sampling, row, project(hidden[:0]).shape[1])
    reading = read(hidden, project, mask_id, needs, noise)

    def spread(values: Tensor | None) -> Tensor | None:
        if values is None:
            return None
        out = values.new_zeros(*frame.masked.shape, *values.shape[1:])
        out[row, column] = values
        return out

    token, confidence = spread(reading.token), spread(reading.confidence)
    assert token is not None
    assert confidence is not None
    broken = torch.zeros(len(frame.masked), dtype=torch.bool, device=frame.masked.device)
    broken[row[~reading.finite]] = True
    return Signals(
        frame,
        token,
        confidence,
        ~broken,
        look,
        spread(reading.neg_entropy),
        spread(reading.margin),
        spread(reading.log_probs),
    )
