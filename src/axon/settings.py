"""How a text is to be written: lengths, randomness, stopping, cache, batch."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from axon import checks
from axon.errors import AxonError

CACHES = ("none", "prefix", "dual")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run, checked when made.

    max_new_tokens  free positions behind each prompt; a canvas brings its own
    block_length    positions decoded together, left block first; divides max_new_tokens
    temperature     0 takes the likeliest token; above, Gumbel noise of this size is added to the logits
    seed            one seed for every row, or a tuple with one per row; matters only with a temperature
    cache           "none" is exact; "prefix" and "dual" freeze keys and values outside the block
    stop_at_eos     end a row once everything before its first EOS is revealed
    stop            texts that end a row when they appear in its settled beginning
    batch_size      rows evaluated together; None: all of them
    """

    max_new_tokens: int = 256
    block_length: int = 32
    temperature: float = 0.0
    seed: int | tuple[int, ...] = 0
    cache: Literal["none", "prefix", "dual"] = "none"
    stop_at_eos: bool = True
    stop: tuple[str, ...] = ()
    batch_size: int | None = None

    def __post_init__(self) -> None:
        checks.whole("max_new_tokens", self.max_new_tokens)
        checks.whole("block_length", self.block_length)
        if self.block_length > self.max_new_tokens:
            raise AxonError(
                f"block_length {self.block_length} is larger than max_new_tokens {self.max_new_tokens}; "
                "choose a block_length that divides it"
            )
        if self.max_new_tokens % self.block_length:
            raise AxonError(
                f"block_length must divide max_new_tokens, got {self.block_length} and {self.max_new_tokens}"
            )
        checks.number("temperature", self.temperature, 0)
        if isinstance(self.seed, list):
            object.__setattr__(self, "seed", tuple(self.seed))
        for seed in self.seed if isinstance(self.seed, tuple) else (self.seed,):
            checks.whole("seed", seed, least=0)
        checks.one_of("cache", self.cache, CACHES)
        checks.flag("stop_at_eos", self.stop_at_eos)
        if not isinstance(self.stop, tuple | list):
            raise AxonError(f"stop must be a tuple of texts, got {self.stop!r}")
        object.__setattr__(self, "stop", tuple(self.stop))
        if not all(isinstance(text, str) and text for text in self.stop):
            raise AxonError(f"stop must hold non-empty texts only, got {self.stop!r}")
        if self.batch_size is not None:
            checks.whole("batch_size", self.batch_size)

    def seed_of(self, row: int) -> int:
        """The seed of one row."""
        return self.seed if isinstance(self.seed, int) else self.seed[row]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files."""
        return asdict(self)
