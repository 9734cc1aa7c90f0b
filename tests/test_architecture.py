"""Lower rooms never import upper ones, importing is light, and files stay small."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import axon

SOURCE = Path(axon.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
LEAVES = {"errors", "checks"}
# What the files of a room may import of the package, beside their own room and the leaves.
KNOWS = {
    "errors": set(),
    "checks": set(),
    "canvas": set(),
    "signals": set(),
    "settings": set(),
    "sandbox": set(),
    "decoders": {"signals"},
    "support": {"signals", "decoders"},
    "models": {"canvas", "signals"},
    "engine": {"canvas", "signals", "settings", "decoders", "models"},
    "prompts": {"canvas", "settings", "models"},
    "tasks": {"sandbox"},
    "training": {"settings", "decoders", "models", "generate", "tasks", "sandbox"},
    "evaluation": {
        "canvas",
        "signals",
        "settings",
        "decoders",
        "models",
        "prompts",
        "generate",
        "trace",
        "tasks",
        "sandbox",
    },
    "report": {"decoders", "engine", "trace", "evaluation"},
}
# The engine knows models and decoders through their contracts only.
CONTRACTS = {"axon.models.base", "axon.decoders.base"}


def room(file):
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(file):
    """Every module of the package that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            module = node.module or ""
            inner = module == "axon" or (SOURCE.parent / module.replace(".", "/")).is_dir()
            names = [f"{module}.{alias.name}" for alias in node.names] if inner else [module]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "axon")


@pytest.mark.parametrize("name", KNOWS)
def test_a_room_knows_only_the_rooms_below_it(name):
    files = [file for file in FILES if room(file) == name]
    assert files
    for file in files:
        known = {module.split(".")[1] for module in imports(file)}
        assert known <= KNOWS[name] | LEAVES | {name}, file


def test_the_engine_knows_models_and_decoders_by_their_contracts():
    seen = {module for module in imports(SOURCE / "engine.py") if module.split(".")[1] in ("models", "decoders")}
    assert seen
    assert all(any(module.startswith(contract) for contract in CONTRACTS) for module in seen)


def test_nobody_below_the_command_line_imports_it():
    upper = {"cli", "server", "report", "evaluation", "training"}
    for file in FILES:
        if room(file) not in upper:
            assert upper.isdisjoint(module.split(".")[1] for module in imports(file)), file


def test_importing_axon_is_light():
    heavy = {"transformers", "huggingface_hub", "typer", "rich", "fastapi", "matplotlib"}
    code = f"import sys, axon; print(*sorted({heavy} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []


def test_no_file_is_long():
    lengths = {str(file.relative_to(SOURCE)): len(file.read_text().splitlines()) for file in FILES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_every_public_name_is_there():
    assert all(hasattr(axon, name) for name in axon.__all__)
    for name in ("load", "generate", "stream", "decoder", "Axon", "Settings", "Canvas"):
        assert name in axon.__all__
