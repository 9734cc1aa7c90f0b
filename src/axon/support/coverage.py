"""AXON's objective: which few reveals would cover the uncertain positions' attention best?

Pure functions over rows: B rows, W positions of the block. weight[b, i, j] is the support that position i
would get from revealing j.
"""

import torch
from torch import Tensor

OBJECTIVES = ("facility", "graph_cut")


def support_weights(attention: Tensor, confidence: Tensor, rows: Tensor) -> Tensor:
    """(B, W, W) weight: attention from i to j, times doubt at i, times confidence at j; zero outside `rows`."""
    doubt = (1 - confidence) * rows
    return attention * doubt[:, :, None] * confidence[:, None]


def value(weight: Tensor, chosen: Tensor, objective: str) -> Tensor:
    """(B,) what the chosen positions (B, W) are worth together."""
    given = weight * chosen[:, None]
    reached = given.sum(dim=2) if objective == "graph_cut" else given.amax(dim=2)
    return reached.sum(dim=1)


def gains(weight: Tensor, cover: Tensor, objective: str) -> Tensor:
    """(B, W) what each position would add, given the best support (B, W) every position already has."""
    if objective == "graph_cut":
        return weight.sum(dim=1)
    return (weight - cover[:, :, None]).clamp_min(0).sum(dim=1)


def shared(weight: Tensor, pick: Tensor) -> Tensor:
    """(B, W) the support each position shares with the picked one (B, W one-hot): sum over i of the lesser."""
    picked = (weight * pick[:, None]).sum(dim=2, keepdim=True)
    return torch.minimum(weight, picked).sum(dim=1)


def greedy(
    weight: Tensor,
    candidates: Tensor,
    *,
    limit: Tensor,
    target: Tensor | None,
    objective: str = "facility",
    redundancy: float = 0.0,
    ranking: Tensor | None = None,
    tie_break: Tensor | None = None,
) -> Tensor:
    """(B, W) anchors, added one at a time by largest marginal gain; ties go to the lowest position.

    weight      (B, W, W), candidates (B, W)
    limit       (B,) the most anchors a row may take
    target      (B,) stop once the anchors are worth this much, after at least one; None: take `limit`
    redundancy  price of support shared with anchors already taken; then also stop when nothing gains
    ranking     (B, W) take candidates in this order instead of by gain (the controls)
    tie_break   (B, W) added to the gains when choosing, and only then
    """
    chosen = torch.zeros_like(candidates)
    cover = weight.new_zeros(candidates.shape)
    worth = weight.new_zeros(candidates.shape[0])
    price = torch.zeros_like(cover)
    active = candidates.any(dim=1) & (limit > 0)
    while bool(active.any()):
        gain = gains(weight, cover, objective)
        net = gain - redundancy * price
        score = net if ranking is None else ranking
        if tie_break is not None:
            score = score + tie_break
        score = score.masked_fill(~(candidates & ~chosen), -torch.inf)
        place = score.argmax(dim=1, keepdim=True)
        if ranking is None and (target is not None or redundancy > 0):
            # Nothing left to gain; the first anchor is taken all the same, the gate asked for one.
            active = active & (~chosen.any(dim=1) | (net.gather(1, place)[:, 0] > 0))
        pick = torch.zeros_like(chosen).scatter_(1, place, active[:, None])
        chosen = chosen | pick
        cover = torch.maximum(cover, (weight * pick[:, None]).amax(dim=2))
        worth = worth + (gain * pick).sum(dim=1)
        if redundancy > 0:
            price = price + shared(weight, pick)
        active = active & (chosen.sum(dim=1) < limit) & (candidates & ~chosen).any(dim=1)
        if target is not None:
            active = active & (worth < target * (1 - 1e-6))
    return chosen
