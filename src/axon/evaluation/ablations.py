"""The paper's ablations as lists of decoders: one parameter of AXON, or the base's threshold, over its values."""

from collections.abc import Callable, Iterator

from axon.decoders import decoder
from axon.decoders.texts import changed, parts, same
from axon.errors import AxonError

# The values of the paper where it gives them.
_ALPHAS = (0, 0.25, 0.5, 0.75, 1)
_BETAS = (0.2, 0.5, 1, 1.5, 2)
_BUDGETS = (1, 2, 3, 4, 6, 8, "cover")
_REDUNDANCIES = (0, 0.2, 0.3, 0.4, 0.5)
_LAYERS = (0.125, 0.25, 0.5, 0.75, "all")
# How sure is sure enough, under the name each base has for it.
_THRESHOLDS = {
    "threshold": (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95),
    "confident": (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95),
    "factor": (0.25, 0.5, 0.75, 1, 1.5, 2),
}

Sweep = Callable[[str, str], Iterator[str]]


def _over(name: str, values: tuple[object, ...], **fixed: object) -> Sweep:
    """The wrapper with one parameter over its values; `fixed` where the wrapper does not say otherwise."""

    def texts(base: str, wrapper: str) -> Iterator[str]:
        for value in values:
            yield changed(f"{base}+{_filled(wrapper, fixed)}", -1, **{name: value})

    return texts


def _betas(base: str, wrapper: str) -> Iterator[str]:
    for row in _BETAS:
        for column in _BETAS:
            yield changed(f"{base}+{wrapper}", -1, beta_r=row, beta_u=column)


def _objectives(base: str, wrapper: str) -> Iterator[str]:
    # One anchor shares its support with none, so a price on sharing needs several.
    filled = _filled(wrapper, {"budget": 3})
    for objective in ("facility", "graph_cut"):
        for price in _REDUNDANCIES:
            yield changed(f"{base}+{filled}", -1, objective=objective, redundancy=price)


def _readings(base: str, wrapper: str) -> Iterator[str]:
    own = parts(wrapper)[0].values
    for name in ("axon", "axon.paper"):
        for commit in ("replace", "union"):
            yield changed(f"{base}+{name}", -1, **(own | {"commit": commit}))


def _thresholds(base: str, wrapper: str) -> Iterator[str]:
    known = decoder(base)
    name = next((name for name in _THRESHOLDS if hasattr(known, name)), None)
    if name is None:
        raise AxonError(f"{base} has no threshold to sweep; confidence, factor, localleap, dawn and klass have one")
    for value in _THRESHOLDS[name]:
        text = changed(base, 0, **{name: value})
        try:
            decoder(text)
        except AxonError:  # below a second threshold of this base, which stays where it is
            continue
        yield text
        yield f"{text}+{wrapper}"


ABLATIONS: dict[str, Sweep] = {
    # Under the paper's gate alpha does nothing between its ends; blend is the form in which it does.
    "alpha": _over("alpha", _ALPHAS, gate="blend"),
    "beta": _betas,
    "budget": _over("budget", _BUDGETS),
    "objective": _objectives,
    "layers": _over("layers", _LAYERS),
    "reading": _readings,
    "threshold": _thresholds,
}


def ablation(name: str, bases: tuple[str, ...], wrapper: str = "axon") -> tuple[str, ...]:
    """The decoders of an ablation: every base plain, and with the wrapper in all its variants."""
    if name not in ABLATIONS:
        raise AxonError(f"unknown ablation {name!r}; there are {', '.join(ABLATIONS)}")
    if len(parts(wrapper)) != 1:
        raise AxonError(f"axon must be one wrapper such as axon(budget=cover), got {wrapper!r}")
    found: list[str] = []
    for base in bases:
        decoder(f"{base}+{wrapper}")
        found += [base, *ABLATIONS[name](base, wrapper)]
    # A base swept over its own threshold meets itself, perhaps written otherwise.
    unique: dict[str, str] = {}
    for text in found:
        unique.setdefault(same(str(decoder(text))), text)
    return tuple(unique.values())


def _filled(wrapper: str, fixed: dict[str, object]) -> str:
    said = parts(wrapper)[0].values
    return changed(wrapper, 0, **{name: value for name, value in fixed.items() if name not in said})
