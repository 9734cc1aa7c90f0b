"""From a config to a stock network that can be evaluated: made empty, then filled by the caller, then made ready."""

from types import ModuleType
from typing import Any

import torch

from axon.models import attention
from axon.models.linear import use_few_rows


def empty(family: ModuleType, config: dict[str, Any]) -> Any:
    """The family's network on the meta device: no memory, no initialisation, weights to be assigned."""
    from transformers import AttentionInterface

    AttentionInterface.register(attention.NAME, attention.attend)
    with torch.device("meta"):
        return family.network(config)


def fill_rotary(network: Any, place: torch.device) -> None:
    """Compute the rotary frequencies, which are no weights; on the meta device they never were."""
    network.model.rotary_emb = type(network.model.rotary_emb)(network.config).to(place)


def ready(network: Any, place: torch.device) -> Any:
    """Once the weights are in: for evaluation only, on `place`."""
    fill_rotary(network, place)
    use_few_rows(network)
    return network.eval().requires_grad_(False)
