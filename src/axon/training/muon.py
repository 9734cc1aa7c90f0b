"""Muon: momentum whose every direction has the same size.

torch.optim.Muon multiplies in bf16 wherever it runs; on a processor without instructions for that, a step of it takes
fifty times as long as one in fp32, and training comes to a stand. This one is told what to multiply in.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

# The quintic that brings singular values near 1 in five rounds, and Muon's usual momentum.
_QUINTIC = (3.4445, -4.7750, 2.0315)
_ROUNDS = 5
_MOMENTUM = 0.95


class Muon(torch.optim.Optimizer):
    """For matrices alone; `lr` is the size of a step in every direction, products are of `dtype`."""

    def __init__(self, matrices: Iterable[Tensor], weight_decay: float, dtype: torch.dtype) -> None:
        super().__init__(matrices, {"lr": 1e-3, "weight_decay": weight_decay})
        self.dtype = dtype

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Nesterov momentum, levelled; tall matrices take larger steps, for their columns are longer."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                moment = state.setdefault("momentum_buffer", torch.zeros_like(weight))
                moment.lerp_(weight.grad, 1 - _MOMENTUM)
                step = levelled(weight.grad.lerp(moment, _MOMENTUM).to(self.dtype))
                rate = group["lr"]
                weight.mul_(1 - rate * group["weight_decay"])
                weight.add_(step, alpha=-rate * max(1.0, len(weight) / weight.shape[1]) ** 0.5)


def levelled(matrix: Tensor) -> Tensor:
    """The matrix with its singular vectors kept and its singular values brought near 1."""
    first, second, third = _QUINTIC
    tall = len(matrix) > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / x.norm().clamp_min(1e-7)
    for _ in range(_ROUNDS):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=second, alpha=third), x, beta=first)
    return x.T if tall else x
