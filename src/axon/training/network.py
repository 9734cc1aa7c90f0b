"""A fresh network of LLaDA's architecture, the objective on top of it, and its folder in LLaDA's published format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from axon.errors import AxonError
from axon.models import llada
from axon.models.load import load
from axon.models.network import empty, fill_rotary
from axon.training import start
from axon.training.recipe import Recipe
from axon.training.tokenizer import save as save_tokenizer

LONGEST = 512


def config(recipe: Recipe, tokenizer: Any) -> dict[str, Any]:
    """LLaDA's config.json for a recipe's sizes, with every field its own modelling file reads."""
    size = len(tokenizer)
    return {
        "architectures": [llada.ARCHITECTURE],
        "model_type": "llada",
        "d_model": recipe.width,
        "n_heads": recipe.heads,
        "n_kv_heads": recipe.heads,
        "n_layers": recipe.layers,
        "mlp_hidden_size": recipe.hidden,
        "mlp_ratio": 4,
        "vocab_size": size,
        "embedding_size": size,
        "max_sequence_length": LONGEST,
        "rope_theta": 500000.0,
        "rms_norm_eps": 1e-5,
        "activation_type": "silu",
        "block_type": "llama",
        "block_group_size": 1,
        "layer_norm_type": "rms",
        "layer_norm_with_affine": True,
        "bias_for_layer_norm": None,
        "attention_layer_norm": False,
        "attention_layer_norm_with_affine": True,
        "attention_dropout": 0.0,
        "residual_dropout": 0.0,
        "embedding_dropout": 0.0,
        "multi_query_attention": None,
        "alibi": False,
        "alibi_bias_max": 8.0,
        "flash_attention": False,
        "rope": True,
        "rope_full_precision": True,
        "include_bias": False,
        "include_qkv_bias": False,
        "input_emb_norm": False,
        "scale_logits": False,
        "weight_tying": False,
        "init_device": "cpu",
        "init_fn": "normal",
        "init_std": 0.02,
        "init_cutoff_factor": None,
        "precision": None,
        "use_cache": False,
        "mask_token_id": tokenizer.mask_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "torch_dtype": "float16",
    }


def fresh(
    settings: dict[str, Any],
    seed: int,
    place: torch.device,
    numbers: dict[int, int],
    twins: Sequence[tuple[int, int]] = (),
) -> Any:
    """The network with the weights that training starts from."""
    network = empty(llada, settings).to_empty(device=place)
    fill_rotary(network, place)
    # Tied while training: what is looked up can be written out at once, without a second vocabulary to learn.
    network.lm_head.weight = network.model.embed_tokens.weight
    start.draw(network, settings["rope_theta"], seed, numbers, twins)
    return network


def fill(network: Any, folder: str) -> None:
    """The weights of a model folder instead of fresh ones."""
    found = getattr(load(folder, device="cpu", dtype="float32"), "network", None)
    try:
        network.load_state_dict({} if found is None else found.state_dict())
    except RuntimeError:
        raise AxonError(f"{folder} is no model of the recipe's sizes; give those it was trained with") from None


def multiplies_halves(place: torch.device) -> bool:
    """Whether matrices of bf16 are multiplied faster there than those of fp32."""
    return place.type == "cuda" or (place.type == "cpu" and torch.cpu._is_avx512_bf16_supported())


class Objective(nn.Module):
    """The mean cross-entropy of masked tokens, each with its weight, and how sure the network was of each (B, L).

    Matrices are multiplied in bf16 where that is faster; weights and the loss stay in fp32.
    """

    def __init__(self, network: Any, *, compiled: bool = False) -> None:
        super().__init__()
        self.network = network
        # A function beside the network, not the network itself: decoding goes on uncompiled.
        self.states = torch.compile(network.model.forward, dynamic=True) if compiled else network.model.forward

    def forward(self, tokens: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        # Most positions are visible, and the head is a fifth of the work.
        wanted = weights > 0
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=multiplies_halves(tokens.device)):
            hidden = self.states(input_ids=tokens, use_cache=False).last_hidden_state
            logits = self.network.lm_head(hidden[wanted]).float()
        losses = cross_entropy(logits, targets[wanted], reduction="none")
        sure = torch.zeros_like(weights)
        sure[wanted] = logits.detach().softmax(-1).amax(-1)
        return (losses * weights[wanted]).sum() / weights.sum().clamp_min(1e-6), sure


def save_folder(network: Any, settings: dict[str, Any], tokenizer: Any, folder: Path) -> None:
    """Write a checkpoint folder that `axon.load` and LLaDA's own code read; half precision."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = {llada.original(name): value.detach().to("cpu", torch.float16).contiguous()
               for name, value in network.named_parameters(remove_duplicate=False)}  # fmt: skip
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(settings, indent=2) + "\n")
    save_tokenizer(tokenizer, folder)
