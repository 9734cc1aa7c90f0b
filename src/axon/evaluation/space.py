"""What a search may try: a base, its thresholds, and whether and how AXON is put on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from axon.decoders import decoder, spec
from axon.decoders.texts import changed, parts, short, wrapped
from axon.errors import AxonError

if TYPE_CHECKING:
    from optuna.trial import Trial


@dataclass(frozen=True, slots=True)
class Grid:
    """Evenly spaced values, both ends included; the search knows them by their number, which has no rounding."""

    low: float
    high: float
    step: float

    @property
    def last(self) -> int:
        return round((self.high - self.low) / self.step)

    def at(self, number: int) -> float:
        """The value of that number."""
        return round(self.low + number * self.step, 6)

    def near(self, value: float) -> int:
        """The number of the nearest value."""
        return min(self.last, max(0, round((value - self.low) / self.step)))


_SURE, _LIKELY = Grid(0.5, 0.98, 0.02), Grid(0.4, 0.9, 0.05)
# The thresholds of each base. A default lies on its grid; what is missing here stays as it is, and so does all of a
# base that is not listed.
GRIDS: dict[str, dict[str, Grid]] = {
    "confidence": {"threshold": _SURE},
    "factor": {"factor": Grid(0.25, 3.0, 0.25)},
    "localleap": {"threshold": _SURE, "relaxed": Grid(0.3, 0.95, 0.05), "radius": Grid(1, 8, 1)},
    "dawn": {"edge": Grid(0.01, 0.15, 0.01), "induce": _LIKELY, "low": _LIKELY, "confident": Grid(0.7, 0.98, 0.02)},
    "klass": {"threshold": _LIKELY, "kl": Grid(0.005, 0.05, 0.005), "history": Grid(1, 3, 1)},
}
AXON: dict[str, tuple[Any, ...]] = {
    "gate": ("context", "pace", "hybrid", "blend"),
    "budget": (1, 2, 3, 4, "cover"),
    "commit": ("replace", "union"),
    "anchor_steps": (1, 2, 4, None),
}
# Asked for with the gate "blend" only: between its ends, "hybrid" does not depend on it (docs/axon.md).
ALPHA = Grid(0.0, 1.0, 0.1)


@dataclass(frozen=True, slots=True)
class Space:
    """Decoders over some bases, each a plain decoder; parameters that its text gives are kept as given."""

    bases: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Space":
        """The space over these bases, however they are written."""
        for text in texts:
            if wrapped(text):
                raise AxonError(f"a base is a plain decoder such as dawn, for AXON is searched on top; got {text!r}")
        return cls(tuple(short(str(decoder(text))) for text in texts))

    def __post_init__(self) -> None:
        if not self.bases:
            raise AxonError('a search needs at least one base, such as "confidence;dawn"')
        twice = sorted({base for base in self.bases if self.bases.count(base) > 1})
        if twice:
            raise AxonError(f"the base {twice[0]!r} is given twice")

    def starts(self) -> tuple[str, ...]:
        """What every search tries first: each base as it is, with AXON, and with AXON to the base's coverage."""
        return tuple(f"{base}{extra}" for base in self.bases for extra in ("", "+axon", "+axon(budget=cover)"))

    def start_values(self) -> Iterator[dict[str, Any]]:
        """The same as values of the search, in the same order."""
        usual = {name: field.default for name, field in spec.parameters(spec.wrappers()["axon"].cls).items()}
        plain = {name: usual[name] for name in AXON}
        for base in self.bases:
            built = decoder(base)
            own = {_name(base, name): grid.near(getattr(built, name)) for name, grid in grids(base).items()}
            for extra in ({"axon": False}, {"axon": True} | plain, {"axon": True} | plain | {"budget": "cover"}):
                yield {"base": base} | own | extra

    def ask(self, trial: "Trial") -> tuple[str, str]:
        """A decoder that the search proposes, and its base; refused where its values do not go together."""
        base: str = trial.suggest_categorical("base", self.bases)
        own = {name: grid.at(trial.suggest_int(_name(base, name), 0, grid.last)) for name, grid in grids(base).items()}
        text = changed(base, 0, **own)
        if trial.suggest_categorical("axon", (False, True)):
            values = {name: trial.suggest_categorical(name, choices) for name, choices in AXON.items()}
            if values["gate"] == "blend":
                values["alpha"] = ALPHA.at(trial.suggest_int("alpha", 0, ALPHA.last))
            text = changed(f"{text}+axon", -1, **values)
        # The shortest text of a decoder is the same however it was come by.
        return short(str(decoder(text))), base


def grids(base: str) -> dict[str, Grid]:
    """The parameters of a base that are searched."""
    (part,) = parts(base)
    return {name: grid for name, grid in GRIDS.get(part.name, {}).items() if name not in part.values}


def _name(base: str, parameter: str) -> str:
    return f"{base} {parameter}"
