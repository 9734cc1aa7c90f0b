"""Rows of bare equations. A result can be learned only where its operands can be seen, so they are learned first."""

import random

from axon.tasks.sums import LARGEST


def equation(rng: random.Random) -> str:
    """One true equation of the kinds that sums problems need."""
    sign = rng.choice("++--*/")
    if sign == "+":
        left = rng.randint(1, LARGEST - 1)
        right = rng.randint(1, LARGEST - left)
        # Both orders, and as many small sums as large ones.
        left, right = (left, right) if rng.random() < 0.5 else (right, left)
        return f"{left}+{right}={left + right}"
    if sign == "-":
        left = rng.randint(2, LARGEST)
        right = rng.randint(1, left)
        return f"{left}-{right}={left - right}"
    small = rng.randint(2, 9)
    other = rng.randint(1, LARGEST // small)
    if sign == "/":
        return f"{small * other}/{small}={other}"
    return f"{small}*{other}={small * other}" if rng.random() < 0.5 else f"{other}*{small}={small * other}"


def row(rng: random.Random, count: int = 14) -> str:
    """A row of equations."""
    return ";".join(equation(rng) for _ in range(count)) + ";"
