"""AXON's gate: is the masked rest of the block short of context, or the base decoder short of pace?

Pure functions over rows: B rows, W positions of the block. `docs/axon.md` gives the formulas with their symbols.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

GATES = ("context", "pace", "hybrid", "blend")
EPSILON = 1e-8


@dataclass(frozen=True, slots=True)
class Deficits:
    """The gate's readings, each (B,)."""

    r: Tensor
    rho: Tensor
    u: Tensor
    g: Tensor
    d_pace: Tensor
    d_ctx: Tensor


def mean_over(values: Tensor, members: Tensor, empty: float) -> Tensor:
    """(B,) mean of `values` over each row's members; `empty` where there are none."""
    count = members.sum(dim=1)
    total = (values * members).sum(dim=1)
    return torch.where(count > 0, total / count.clamp_min(1), torch.full_like(total, empty))


def required_pace(masked: Tensor, step: Tensor, budget: int, whole: bool, dtype: torch.dtype) -> Tensor:
    """(B,) share of the masked positions to reveal now so that `budget` steps suffice; 1 when they are spent.

    With `whole` the number of positions, not only the share, must be reached, so it is rounded up.
    """
    left = masked.sum(dim=1).clamp_min(1).to(dtype)
    steps_left = (budget - step).clamp_min(1).to(dtype)
    share = torch.ceil(left / steps_left) / left if whole else 1 / steps_left
    return torch.where(step >= budget, torch.ones_like(share), share)


def context_support(attention: Tensor, inside: Tensor, support: Tensor, uncertain: Tensor) -> Tensor:
    """(B,) share of the uncertain positions' attention within the block that goes to `support`.

    attention (B, W, W); inside, support, uncertain (B, W). A row without uncertain positions has all it needs: 1.
    """
    to_block = (attention * inside[:, None]).sum(dim=2)
    to_support = (attention * support[:, None]).sum(dim=2)
    return mean_over(to_support / (to_block + EPSILON), uncertain, empty=1.0)


def deficits(
    *,
    masked: Tensor,
    proposed: Tensor,
    support: Tensor,
    uncertain: Tensor,
    inside: Tensor,
    confidence: Tensor,
    attention: Tensor,
    rho: Tensor,
    previous_r: Tensor,
    beta_r: float,
    beta_u: float,
) -> Deficits:
    """How far context and pace fall short of what they should be."""
    r = proposed.sum(dim=1).to(confidence) / masked.sum(dim=1).clamp_min(1)
    u = mean_over(1 - confidence, uncertain, empty=0.0)
    g = context_support(attention, inside, support, uncertain)
    # A rising pace needs no help, whatever its level.
    d_pace = torch.where(r <= previous_r, rho - r, torch.zeros_like(r))
    d_ctx = torch.maximum(beta_r * r, beta_u * u) - g
    return Deficits(r, rho, u, g, d_pace, d_ctx)


def is_open(kind: str, alpha: float, read: Deficits, uncertain: Tensor) -> Tensor:
    """(B,) whether anchors are called for; never when nothing is uncertain."""
    if kind == "context":
        short = read.d_ctx > 0
    elif kind == "pace":
        short = read.d_pace > 0
    elif kind == "hybrid":
        # The paper's Eq. 9. For 0 < alpha < 1 this is an OR of the two deficits; see docs/axon.md.
        short = alpha * read.d_ctx.clamp_min(0) + (1 - alpha) * read.d_pace.clamp_min(0) > 0
    else:
        short = read.g < alpha * read.r + (1 - alpha) * read.u
    return short & uncertain.any(dim=1)
