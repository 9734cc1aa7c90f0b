"""What a user may ask for, turned into canvases: text, a chat, token ids, a canvas, or a list of those."""

from collections.abc import Sequence
from typing import Any

from axon.canvas import Canvas
from axon.errors import AxonError
from axon.models.base import Model
from axon.settings import Settings

Prompt = str | Sequence[int] | Sequence[dict[str, str]] | Canvas
_ALLOWED = "a text, a chat (list of role and content), a list of token ids, a Canvas, or a list of those"


def to_canvases(model: Model, prompts: Prompt | Sequence[Prompt], settings: Settings) -> list[Canvas]:
    """One canvas per prompt, each checked against the model."""
    items = _as_list(prompts)
    if isinstance(settings.seed, tuple) and len(settings.seed) != len(items):
        raise AxonError(f"seed must be one number or one per prompt, got {len(settings.seed)} for {len(items)} prompts")
    if settings.stop and not model.has_tokenizer:
        raise AxonError(f"stop texts need a tokenizer and {model.name} came without one")
    return [_to_canvas(model, item, settings, index) for index, item in enumerate(items)]


def _as_list(prompts: Any) -> list[Any]:
    if hasattr(prompts, "tolist"):  # an array or a tensor of token ids
        prompts = prompts.tolist()
    if isinstance(prompts, str | Canvas):
        return [prompts]
    if not isinstance(prompts, list | tuple):
        raise AxonError(f"prompts must be {_ALLOWED}, got {type(prompts).__name__}")
    if not prompts:
        raise AxonError(f"prompts is empty; give {_ALLOWED}")
    if _is_chat(prompts) or all(_is_id(item) for item in prompts):
        return [prompts]
    return [item.tolist() if hasattr(item, "tolist") else item for item in prompts]


def _to_canvas(model: Model, prompt: Any, settings: Settings, index: int) -> Canvas:
    if isinstance(prompt, Canvas):
        canvas, fixed = prompt, [t for t, free in zip(prompt.tokens, prompt.free, strict=True) if not free]
        if any(t != model.mask_id for t, free in zip(prompt.tokens, prompt.free, strict=True) if free):
            raise AxonError(f"canvas {index} must hold the mask token {model.mask_id} at every free position")
    else:
        fixed = _token_ids(model, prompt, index)
        if not fixed:
            raise AxonError(f"prompt {index} is empty; it needs at least one token")
        canvas = Canvas.from_prompt(fixed, settings.max_new_tokens, model.mask_id)
    for token in fixed:
        if not _is_id(token):
            raise AxonError(f"prompt {index} holds {token!r}, which is not a token id")
        if not 0 <= token < model.vocab_size:
            raise AxonError(f"prompt {index} holds token {token}, outside the vocabulary of {model.vocab_size}")
        if token == model.mask_id:
            raise AxonError(
                f"prompt {index} contains the mask token {token}; to leave positions free, build a Canvas instead"
            )
    if len(canvas) > model.max_length:
        raise AxonError(
            f"prompt {index} needs {len(canvas)} positions ({len(fixed)} given and {sum(canvas.free)} to write), "
            f"{model.name} allows {model.max_length}"
        )
    return canvas


def _token_ids(model: Model, prompt: Any, index: int) -> list[int]:
    if isinstance(prompt, str):
        return model.encode(prompt) if prompt else []
    if isinstance(prompt, list | tuple):
        if prompt and _is_chat(prompt):
            return model.chat(prompt)
        if all(_is_id(item) for item in prompt):
            return [int(item) for item in prompt]
    raise AxonError(f"prompt {index} must be {_ALLOWED}, got {_kind(prompt)}")


def _is_id(item: Any) -> bool:
    # Arrays have __index__ too, but are whole prompts.
    return not isinstance(item, bool) and hasattr(item, "__index__") and getattr(item, "ndim", 0) == 0


def _is_chat(items: Sequence[Any]) -> bool:
    if not all(isinstance(item, dict) for item in items):
        return False
    for item in items:
        if not isinstance(item.get("role"), str) or not isinstance(item.get("content"), str):
            raise AxonError(f"a chat message needs a role and a content, both texts, got {item!r}")
    return True


def _kind(prompt: Any) -> str:
    if isinstance(prompt, list | tuple):
        kinds = sorted({type(item).__name__ for item in prompt})
        return f"a {type(prompt).__name__} of {' and '.join(kinds)}"
    return type(prompt).__name__
