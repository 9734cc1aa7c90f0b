"""How likely a text is to a masked diffusion model: a Monte-Carlo estimate, with its error."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from axon.errors import AxonError
from axon.models.base import Model
from axon.signals import Frame, Needs


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over draws and its standard error."""

    value: float
    error: float


def log_likelihood(
    model: Model, context: Sequence[int], target: Sequence[int], *, samples: int = 32, seed: int = 0, batch: int = 1
) -> Estimate:
    """The bound on log p(target | context) that LLaDA is trained on and evaluated with (arXiv 2502.09992).

    With n target tokens: draw l uniformly from 1 … n, mask l of them, and take n/l times the sum of their log
    probabilities. For n = 1 every draw gives the same, exact value.
    """
    if not target:
        return Estimate(0.0, 0.0)
    length = len(context) + len(target)
    if length > model.max_length:
        raise AxonError(f"a text of {length} tokens is too long, {model.name} allows {model.max_length}")
    source = torch.Generator().manual_seed(seed)
    masks = _masks(len(target), samples, source)
    weights = len(target) / masks.sum(dim=1)
    parts = (masks[start : start + batch] for start in range(0, samples, batch))
    sums = [_masked_log_prob(model, context, target, part) for part in parts]
    draws = weights.double() * torch.cat(sums)
    error = float(draws.std()) / math.sqrt(samples) if samples > 1 else math.inf
    return Estimate(float(draws.mean()), error)


def _masks(length: int, samples: int, source: torch.Generator) -> Tensor:
    """(samples, length) which tokens each draw hides: any number of them is as likely as any other."""
    counts = torch.randint(1, length + 1, (samples, 1), generator=source)
    ranks = torch.rand(samples, length, generator=source).argsort(dim=1).argsort(dim=1)
    return ranks < counts


@torch.inference_mode()
def _masked_log_prob(model: Model, context: Sequence[int], target: Sequence[int], hidden: Tensor) -> Tensor:
    """(B,) the summed log probability of the hidden target tokens, hidden (B, n), from one evaluation."""
    rows, width = hidden.shape
    first, length = len(context), len(context) + width
    right = torch.tensor(target).expand(rows, -1)
    shown = right.masked_fill(hidden, model.mask_id)
    tokens = torch.cat([torch.tensor(context, dtype=torch.long).expand(rows, -1), shown], dim=1)
    row_masked = torch.cat([torch.zeros(rows, first, dtype=torch.bool), hidden], dim=1)

    def each(value: int) -> Tensor:
        return torch.full((rows,), value, device=model.device)

    frame = Frame(
        tokens=tokens.to(model.device),
        lengths=each(length),
        start=each(first),
        width=each(width),
        masked=hidden.to(model.device),
        row_masked=row_masked.to(model.device),
        step=each(0),
        block=each(0),
        blocks=each(1),
        opened=hidden.sum(dim=1).to(model.device),
        positions=torch.arange(first, length, device=model.device).expand(rows, -1),
        inside=torch.ones(rows, width, dtype=torch.bool, device=model.device),
        valid=torch.ones(rows, length, dtype=torch.bool, device=model.device),
    )
    log_probs = model.evaluate(frame, Needs(log_probs=True)).log_probs
    assert log_probs is not None
    of_target = log_probs.gather(2, right.to(model.device)[:, :, None])[:, :, 0].cpu().double()
    return torch.where(hidden, of_target, 0.0).sum(dim=1)
