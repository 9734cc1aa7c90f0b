"""The canvas as it fills, for the terminal.

Each kind of token has a colour and, for terminals and eyes without colours, a second mark: new ones are
bold, anchors reversed, tokens revealed because of an anchor underlined, masked ones a shaded cell.
"""

from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from axon.canvas import Canvas
from axon.decoders.texts import anchor_steps
from axon.engine import Step

MASKED, FIXED, OLD, NEW, ANCHOR, HELPED = range(6)
_STYLE = {
    MASKED: "bright_black",
    FIXED: "dim",
    OLD: "",
    NEW: "bold green",
    ANCHOR: "bold reverse bright_blue",
    HELPED: "underline yellow",
}
_CELL = "░"
# Of a long prompt only the end is shown, so that the canvas stays on the screen; in tokens.
_CONTEXT = 80

Piece = Callable[[int], str]


class CanvasView:
    """One row: its canvas, the last step, and a line about both.

    `decoder` is its full text, which says at which steps of a block the gate is read; `context` how much of a prompt is
    shown, in tokens.
    """

    def __init__(self, canvas: Canvas, piece: Piece, title: str, decoder: str, context: int = _CONTEXT) -> None:
        self.canvas, self.piece, self.title, self.context = canvas, piece, title, context
        self.gate_steps = anchor_steps(decoder)
        self.ended = False
        self.kind = [MASKED if free else FIXED for free in canvas.free]
        self.tokens = list(canvas.tokens)
        self.step: Step | None = None
        self._block = -1
        self._supported: set[int] = set()

    def apply(self, step: Step) -> None:
        """Take in the row's next step."""
        self.step = step
        if step.block != self._block:
            self._block, self._supported = step.block, set()
        anchors = set(step.gate.anchors) if step.gate else set()
        self.kind = [OLD if kind == NEW else kind for kind in self.kind]
        for position, token in zip(step.positions, step.tokens, strict=True):
            self.tokens[position] = token
            self.kind[position] = ANCHOR if position in anchors else HELPED if position in self._supported else NEW
        if step.gate and step.gate.open:
            self._supported |= set(step.gate.supported)

    def end(self) -> None:
        """The row is finished: masks behind its last token were never needed."""
        self.ended = True

    def __rich__(self) -> RenderableType:
        return Group(Text(self.title, style="bold"), self._body(), self._status(), legend())

    def _body(self) -> Text:
        first = max(0, self.canvas.holes[0][0] - self.context)
        body = Text().append("… " if first and self.context else "", style=_STYLE[FIXED])
        last = len(self.kind)
        while self.ended and last > first and self.kind[last - 1] == MASKED:
            last -= 1
        for token, kind in list(zip(self.tokens, self.kind, strict=True))[first:last]:
            body.append(_CELL if kind == MASKED else self.piece(token).replace("\n", "⏎\n"), style=_STYLE[kind])
        return body

    def _status(self) -> Text:
        step = self.step
        if step is None:
            return Text("evaluation 0", style="dim")
        line = f"evaluation {step.index + 1} · block {step.block + 1} · step {step.step_in_block + 1} in it"
        line += f" · revealed {len(step.positions)}"
        gate = step.gate
        if gate is not None and (self.gate_steps is None or step.step_in_block < self.gate_steps):
            state = "open" if gate.open else "closed"
            line += f" · gate {state} (support {gate.g:.2f}, pace {gate.r:.2f}, doubt {gate.u:.2f})"
        return Text(line, style="dim")


def legend() -> Text:
    """What the marks mean."""
    names = {NEW: "new", ANCHOR: "anchor", HELPED: "because of an anchor"}
    line = Text().append(f"{_CELL} masked", style=_STYLE[MASKED])
    for kind, name in names.items():
        line.append("   ", style="")
        line.append(name, style=_STYLE[kind])
    return line


def pieces_of(decode: Callable[[Sequence[int]], str]) -> Piece:
    """One token to its text, remembered."""
    known: dict[int, str] = {}

    def piece(token: int) -> str:
        if token not in known:
            known[token] = decode([token])
        return known[token]

    return piece


def summary(steps: Sequence[Step], tokens: int, seconds: float | None = None) -> str:
    """One line about a run."""
    count = len(steps)
    parts = [f"{tokens} tokens", f"{count} evaluations", f"{tokens / max(1, count):.2f} tokens per evaluation"]
    if seconds is not None:
        parts.append(f"{seconds:.2f} s")
    if any(step.gate for step in steps):
        openings = sum(bool(step.gate and step.gate.open) for step in steps)
        parts.append("1 gate opening" if openings == 1 else f"{openings} gate openings")
    return " · ".join(parts)
