"""The optimiser: Muon for the matrices of the blocks, AdamW for embeddings and norms, used as one."""

from typing import Any

import torch

from axon.training.muon import Muon
from axon.training.network import multiplies_halves
from axon.training.recipe import Recipe

# Muon's steps have the same size in every direction, so they may be this many times larger than AdamW's.
_MUON = 10.0


class Optimiser:
    """Two optimisers behind one face; the recipe's learning rate is AdamW's."""

    def __init__(self, network: Any, recipe: Recipe) -> None:
        matrices = [w for name, w in network.named_parameters() if w.dim() > 1 and "embed" not in name]
        others = [w for name, w in network.named_parameters() if w.dim() <= 1 or "embed" in name]
        halves = multiplies_halves(matrices[0].device)
        self.parts: dict[str, torch.optim.Optimizer] = {
            "muon": Muon(matrices, recipe.weight_decay, torch.bfloat16 if halves else torch.float32),
            "adamw": torch.optim.AdamW(others, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
        }

    def step(self, rate: float) -> None:
        """Change the weights by their gradients, then forget those."""
        for name, part in self.parts.items():
            for group in part.param_groups:
                group["lr"] = rate * (_MUON if name == "muon" else 1.0)
            part.step()
            part.zero_grad(set_to_none=True)

    def state_dict(self) -> dict[str, Any]:
        return {name: part.state_dict() for name, part in self.parts.items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, part in self.parts.items():
            part.load_state_dict(state[name])
