"""A checkpoint's tokenizer, as the engine uses it: text to tokens, tokens to text, chats to tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from axon.errors import AxonError


@dataclass(frozen=True, slots=True)
class Text:
    """A Hugging Face tokenizer or None; what cannot be done without one says so."""

    tokenizer: Any
    model: str

    @property
    def has_chat_template(self) -> bool:
        return self.tokenizer is not None and bool(self.tokenizer.chat_template)

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer("read text; give token ids").encode(text, add_special_tokens=False))

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer("write text; use the tokens").decode(list(tokens), skip_special_tokens=True))

    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]:
        tokenizer = self._tokenizer("read a chat; give token ids")
        if not tokenizer.chat_template:
            raise AxonError(f"{self.model} has no chat template; give the prompt as text or token ids")
        text = tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        return self.encode(text)

    def _tokenizer(self, what: str) -> Any:
        if self.tokenizer is None:
            raise AxonError(f"{self.model} came without a tokenizer, so it cannot {what}")
        return self.tokenizer
