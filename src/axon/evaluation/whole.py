"""Answers decoded in full, as the published scripts do: nothing ends one early, and only what counts is read.

The figures of the papers are evaluations and times of whole answers, so a run that is put beside them may not stop
at an EOS or at a stop text. What stands behind the first EOS or stop text is not scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from axon.evaluation.plan import Plan
from axon.models.text import Text
from axon.models.transformer import TransformerModel
from axon.settings import Settings


@dataclass(frozen=True)
class WholePlan(Plan):
    """A plan without stop texts; its settings say whether an EOS ends an answer."""

    def settings_of(self, name: str, how: str) -> Settings:
        """The settings for one of the tasks, asked in that way."""
        return replace(super().settings_of(name, how), stop=())


@dataclass(frozen=True, slots=True)
class EndedText(Text):
    """A tokenizer that reads tokens up to the first of `ends`."""

    ends: frozenset[int] = frozenset()

    def decode(self, tokens: Sequence[int]) -> str:
        first = next((place for place, token in enumerate(tokens) if token in self.ends), len(tokens))
        # Slots make a new class, which super() without arguments does not know.
        return Text.decode(self, tokens[:first])


def reading_to_the_end(model: TransformerModel, name: str) -> TransformerModel:
    """The same model under another name, whose texts end at the first EOS whatever was decoded behind it."""
    return replace(model, name=name, text=EndedText(model.text.tokenizer, name, model.eos_ids))
