"""How a problem is put to a model: as a chat, as bare text, or as text behind the BOS token."""

from axon.errors import AxonError
from axon.models.base import Model
from axon.prompts import Prompt
from axon.tasks import Problem

# "auto" is a chat where the model has a template and text where not; "bos" is what Dream's own scripts do.
PROMPTINGS = ("auto", "chat", "text", "bos")


def prompting(model: Model, asked: str) -> str:
    """What "auto" comes to for this model; anything else is itself."""
    if asked == "auto":
        return "chat" if model.has_chat_template else "text"
    return asked


def prompt(model: Model, problem: Problem, how: str) -> Prompt:
    """The prompt of a problem."""
    if how == "chat":
        return [{"role": "user", "content": problem.prompt}]
    if how == "bos":
        return [bos(model), *model.encode(problem.prompt)]
    return problem.prompt


def bos(model: Model) -> int:
    """The token that begins a text."""
    found = getattr(getattr(getattr(model, "text", None), "tokenizer", None), "bos_token_id", None)
    if found is None:
        raise AxonError(f"a BOS token is asked for and {model.name} has none")
    return int(found)
