"""Equations, bare or asked for. A result can be learned only where its operands can be seen, so they come early."""

import random

from axon.tasks.sums import LARGEST

# Small numbers are met as often as large ones: large sums are learned on top of small ones.
_LIMITS = (12, 30, 60, LARGEST)
# Sums and differences are learned last, so they are met more often.
_SIGNS = "+++---*/"

_QUESTIONS = ("What is {}?", "Work out {}.", "Calculate {}.")


def equation(rng: random.Random) -> str:
    """One true equation of the kinds that sums problems need."""
    sign, limit = rng.choice(_SIGNS), rng.choice(_LIMITS)
    if sign in "+-":
        total = rng.randint(2, limit)
        part = rng.randint(1, total - 1)
        return f"{part}+{total - part}={total}" if sign == "+" else f"{total}-{part}={total - part}"
    small = rng.randint(2, 9)
    other = rng.randint(1, max(2, limit // small))
    if sign == "/":
        return f"{small * other}/{small}={other}"
    return f"{small}*{other}={small * other}" if rng.random() < 0.5 else f"{other}*{small}={small * other}"


def asked(rng: random.Random) -> tuple[str, str]:
    """A question for some results, and its answer: what is to be worked out stands in the prompt, as in a problem."""
    lines = [equation(rng) for _ in range(rng.randint(1, 8))]
    wanted = ", ".join(line.split("=")[0] for line in lines)
    return rng.choice(_QUESTIONS).format(wanted), "\n".join(lines)


def row(rng: random.Random) -> str:
    """A row of equations."""
    return ";".join(equation(rng) for _ in range(rng.randint(5, 14))) + ";"
