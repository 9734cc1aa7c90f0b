"""Dream checkpoints (Dream-v0 and small ones of that form) as the stock Qwen2 class."""

from typing import Any

from axon.models.config import needed, settled

ARCHITECTURE = "DreamModel"
# Dream was trained on from an autoregressive model: its output at position i - 1 predicts token i.
SHIFT = 1

_FIXED = {"hidden_act": "silu", "use_sliding_window": False, "rope_scaling": None}


def network(config: dict[str, Any]) -> Any:
    """The Qwen2 network a Dream config describes, weights not yet filled."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    settled(config, _FIXED, "Dream")
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=needed(config, "vocab_size", int),
            hidden_size=needed(config, "hidden_size", int),
            intermediate_size=needed(config, "intermediate_size", int),
            num_hidden_layers=needed(config, "num_hidden_layers", int),
            num_attention_heads=needed(config, "num_attention_heads", int),
            num_key_value_heads=needed(config, "num_key_value_heads", int),
            max_position_embeddings=needed(config, "max_position_embeddings", int),
            rms_norm_eps=needed(config, "rms_norm_eps", float),
            rope_parameters={"rope_type": "default", "rope_theta": float(needed(config, "rope_theta", float))},
            tie_word_embeddings=bool(config.get("tie_word_embeddings", False)),
            attn_implementation="axon",
            is_causal=False,
        )
    )


def rename(name: str) -> str | None:
    """Dream's tensor names are Qwen2's."""
    return name


def original(name: str) -> str:
    """The Dream name of a Qwen2 tensor: the same."""
    return name
