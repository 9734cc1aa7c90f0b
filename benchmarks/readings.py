"""How often AXON's gate opens and what that costs, in both readings, on the tiny LLaDA of tests/golden.

python -m benchmarks.readings prints evaluations per answer (mean of two prompts, 64 new tokens) and, behind the
slash, the share of evaluations at which the gate was open. The model is random: this says nothing about quality.
"""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import axon

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "llada"
BASES = (
    "confidence",
    "confidence(threshold=0.6)",
    "localleap(threshold=0.6,relaxed=0.4,radius=2)",
    "dawn",
    "dawn(sink=0.05,edge=0.03,induce=0.4,low=0.4)",
)
WRAPPERS = ("", "+axon.paper", "+axon.paper(budget=cover)", "+axon", "+axon(budget=cover)", "+axon(commit=union)")


def main() -> None:
    """Print the table of docs/axon.md."""
    model = axon.load(GOLDEN)
    data = np.load(GOLDEN / "axon.npz")
    prompts = [data[f"threshold0.9/paper_k1/{n}/prompt"][0].tolist() for n in range(2)]
    settings = axon.Settings(max_new_tokens=64, block_length=32, stop_at_eos=False)
    table = Table("base", *(wrapper or "plain" for wrapper in WRAPPERS))
    for name in BASES:
        cells = []
        for wrapper in WRAPPERS:
            out = axon.generate(model, prompts, axon.decoder(name + wrapper), settings)
            steps = [step for result in out for step in result.steps]
            opened = sum(bool(step.gate and step.gate.open) for step in steps) / len(steps)
            cells.append(f"{len(steps) / len(out):.1f}" + (f" / {opened:.0%}" if wrapper else ""))
        table.add_row(name, *cells)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
