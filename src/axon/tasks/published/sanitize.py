"""The filter the papers' authors put HumanEval's answers through, and whether a text is Python at all.

Their scripts have it from Fast-dLLM, which has it from Dream. Its rules are kept where they are odd, for its only use
is to compare with their figures.
"""

import ast
import threading
import warnings
from collections.abc import Sequence
from itertools import accumulate, combinations
from typing import Any

LINES = 100
# Python warns of what it compiles, and whether it does is a setting of the whole process, not of a thread.
_WARNINGS = threading.Lock()


def sanitize(text: str, entry_point: str) -> str:
    """The imports of a text and what its entry point reaches by name, written by Python; empty if that is nothing."""
    # Lines may end in any way here; they are joined by one kind of newline.
    tree = longest(text.replace("\t", "    ").strip().splitlines()[:LINES])
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    # Of two definitions of a name the later counts, in the place of the first.
    definitions = {name: node for node in tree.body if (name := _defines(node))}
    reached, ahead = set[str](), {entry_point}
    while ahead:
        reached |= ahead
        ahead = set[str]().union(*(_uses(definitions[name]) for name in ahead & definitions.keys())) - reached
    kept = [node for name, node in definitions.items() if name in reached]
    return _text(ast.Module([*imports, *kept], []))


def longest(lines: Sequence[str]) -> ast.Module:
    """The span of lines that parses and has most lines that are not blank, the first of equals."""
    filled = list(accumulate((bool(line.strip()) for line in lines), initial=0))
    # Sorting keeps the order of equals, and the first to parse ends the search: the whole, as a rule.
    for start, end in sorted(combinations(range(len(filled)), 2), key=lambda span: filled[span[0]] - filled[span[1]]):
        tree = _compiled("\n".join(lines[start:end]), ast.PyCF_ONLY_AST)
        if isinstance(tree, ast.Module):
            return tree
    return ast.Module([], [])


def compiles(text: str) -> bool:
    """Whether a text is a Python program."""
    return _compiled(text) is not None


def rewritten(text: str) -> str:
    """A program as Python writes it, so that two can be compared; empty if that cannot be done."""
    tree = _compiled(text, ast.PyCF_ONLY_AST)
    return _text(tree) if isinstance(tree, ast.Module) else ""


def _compiled(text: str, flags: int = 0) -> Any:
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(text, "<answer>", "exec", flags, dont_inherit=True)
        # The last three are for what is nested too deeply or no text at all.
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            return None


def _text(tree: ast.Module) -> str:
    try:
        return ast.unparse(tree)
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        return ""


def _defines(node: ast.stmt) -> str | None:
    """The name under which a statement may be kept: a function's that returns something, a class's, a variable's."""
    match node:
        case ast.FunctionDef(name=name) if any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
            return name
        case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name), *_]):
            return name
    return None


def _uses(node: ast.AST) -> set[str]:
    """The names in a definition; of `a.b` it is b alone, and what stands before the dot is not looked at."""
    names, ahead = set[str](), [node]
    for outer in ahead:  # which grows on the way: recursion would not reach the ground of every tree
        for inner in ast.iter_child_nodes(outer):
            match inner:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    names.add(name)
                case _:
                    ahead.append(inner)
    return names
