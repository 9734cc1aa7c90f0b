"""LLaDA checkpoints (LLaDA-8B, LLaDA-1.5, and small ones of that form) as the stock Llama class."""

import re
from typing import Any

from axon.errors import LoadError
from axon.models.config import needed, settled

ARCHITECTURE = "LLaDAModelLM"
SHIFT = 0

_TOP = {"wte": "model.embed_tokens", "ln_f": "model.norm", "ff_out": "lm_head"}
_BLOCK = {
    "q_proj": "self_attn.q_proj",
    "k_proj": "self_attn.k_proj",
    "v_proj": "self_attn.v_proj",
    "attn_out": "self_attn.o_proj",
    "ff_proj": "mlp.gate_proj",
    "up_proj": "mlp.up_proj",
    "ff_out": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ff_norm": "post_attention_layernorm",
}
# Variants LLaDA's modelling file knows and Llama does not; the published checkpoints use none of them.
_FIXED = {
    "block_type": "llama",
    "layer_norm_type": "rms",
    "activation_type": "silu",
    "rope": True,
    "alibi": False,
    "include_bias": False,
    "include_qkv_bias": False,
    "attention_layer_norm": False,
    "input_emb_norm": False,
    "scale_logits": False,
}
_NAME = re.compile(r"model\.transformer\.(?:blocks\.(\d+)\.)?(\w+)\.(weight|bias)")


def network(config: dict[str, Any]) -> Any:
    """The Llama network a LLaDA config describes, weights not yet filled."""
    from transformers import LlamaConfig, LlamaForCausalLM

    settled(config, _FIXED, "LLaDA")
    heads = needed(config, "n_heads", int)
    width = needed(config, "d_model", int)
    # The embedding may be padded beyond the vocabulary, and then says so itself.
    rows = "vocab_size" if config.get("embedding_size") is None else "embedding_size"
    if width % heads:
        raise LoadError(f"config.json gives d_model {width}, which n_heads {heads} does not divide")
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=needed(config, rows, int),
            hidden_size=width,
            intermediate_size=needed(config, "mlp_hidden_size", int),
            num_hidden_layers=needed(config, "n_layers", int),
            num_attention_heads=heads,
            num_key_value_heads=heads if config.get("n_kv_heads") is None else needed(config, "n_kv_heads", int),
            max_position_embeddings=needed(config, "max_sequence_length", int),
            rms_norm_eps=needed(config, "rms_norm_eps", float),
            rope_parameters={"rope_type": "default", "rope_theta": float(needed(config, "rope_theta", float))},
            tie_word_embeddings=bool(config.get("weight_tying", False)),
            attn_implementation="axon",
            is_causal=False,
        )
    )


def rename(name: str) -> str | None:
    """The Llama name of a LLaDA tensor, None if it is not one."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    block, part, kind = match.groups()
    if block is None:
        return f"{_TOP[part]}.{kind}" if part in _TOP else None
    return f"model.layers.{block}.{_BLOCK[part]}.{kind}" if part in _BLOCK else None


def original(name: str) -> str:
    """The LLaDA name of a Llama tensor, for messages about the checkpoint."""
    stem, _, kind = name.rpartition(".")
    for part, ours in _TOP.items():
        if stem == ours:
            return f"model.transformer.{part}.{kind}"
    block, _, rest = stem.removeprefix("model.layers.").partition(".")
    (part,) = [part for part, ours in _BLOCK.items() if ours == rest]
    return f"model.transformer.blocks.{block}.{part}.{kind}"
