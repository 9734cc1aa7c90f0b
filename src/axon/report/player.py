"""The traced runs as data for the page's player: two decoders side by side on the same problem."""

import json
from typing import Any

from axon.report.reveals import Gate, Kind, Row, rows
from axon.report.source import Run, TaskData

_LETTERS = {Kind.NEW: "n", Kind.ANCHOR: "a", Kind.HELPED: "h"}
# Of each task, so that a report of many traces stays a page.
_PROBLEMS = 20
# Of a long prompt only the end is shown.
_PROMPT = 240


def player_data(run: Run) -> list[dict[str, Any]]:
    """Per task: its problems, each with the run of every decoder that was traced on it."""
    found = []
    for data in run.tasks:
        problems = _problems(data)
        if problems:
            found.append({"task": data.name, "pair": _pair(data), "problems": problems})
    return found


def _problems(data: TaskData) -> list[dict[str, Any]]:
    problems: dict[int, dict[str, Any]] = {}
    for name, trace in data.traces.items():
        for row in rows(trace)[:_PROBLEMS]:
            own = problems.setdefault(row.number, {"name": data.problem(name, row.number), "runs": {}})
            own["runs"][name] = _side(row, data.verdict(name, row.number))
    return [problems[number] for number in sorted(problems)]


def _pair(data: TaskData) -> list[str]:
    """What to show first: a base and a decoder that wraps it, else the first and the last there is."""
    for base, variants in data.families.items():
        for name in variants:
            if base in data.traces and name in data.traces:
                return [base, name]
    names = list(data.traces)
    return [names[0], names[-1]]


def _side(row: Row, verdict: bool | None) -> dict[str, Any]:
    canvas = row.trace.canvases[row.number]
    first, last = canvas.holes[0][0], canvas.holes[-1][1]
    prompt = "".join(map(row.piece, canvas.tokens[:first]))
    steps = zip(row.steps, row.kinds, row.gates, strict=True)
    return {
        "prompt": ("…" if len(prompt) > _PROMPT else "") + prompt[-_PROMPT:],
        "cells": [None if canvas.free[place] else row.piece(canvas.tokens[place]) for place in range(first, last)],
        "right": verdict,
        "steps": [
            {
                "places": [place - first for place in step.positions],
                "texts": [row.piece(token) for token in step.tokens],
                "kinds": "".join(_LETTERS[kind] for kind in kinds),
                "block": step.block + 1,
                "step": step.step_in_block + 1,
                "gate": _gate(step.gate, state) if step.gate else None,
            }
            for step, kinds, state in steps
        ],
    }


def _gate(reading: Any, state: Gate) -> dict[str, Any]:
    # A reading that could not open the gate is not shown as one.
    if state is Gate.UNREAD:
        return {"state": state}
    return {
        "state": state,
        "support": round(reading.g, 3),
        "pace": round(reading.r, 3),
        "doubt": round(reading.u, 3),
        "anchors": len(reading.anchors),
    }


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
