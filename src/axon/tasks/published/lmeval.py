"""What lm-eval knows about a task, taken from the lm-eval that is installed: its definition and its code."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from axon.errors import AxonError
from axon.tasks.published.source import INSTALL, Row


@cache
def folder() -> Path:
    """Where lm-eval keeps its tasks; found without importing it."""
    spec = find_spec("lm_eval")
    if spec is None or not spec.submodule_search_locations:
        raise AxonError(f"the published tasks take their rules from lm-eval, which is not installed; {INSTALL}")
    return Path(spec.submodule_search_locations[0]) / "tasks"


@cache
def definition(file: str) -> Row:
    """A task's definition, such as "gsm8k/gsm8k.yaml"; what it names by !function is None."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # it comes without types
        pass

    Loader.add_constructor("!function", lambda loader, node: None)
    try:
        found: Row = yaml.load((folder() / file).read_text(encoding="utf-8"), Loader)
    except OSError:
        raise AxonError(f"the installed lm-eval has no task {file}; {INSTALL}") from None
    return found


@cache
def template(text: str) -> Any:
    """A Jinja template of lm-eval's, compiled once; lm-eval itself does it for every row."""
    from lm_eval.utils import env

    return env.from_string(text)


def prompt(rules: Row, shots: Sequence[Row], row: Row) -> str:
    """The worked examples and the question, put together as lm-eval does."""
    between, behind = rules.get("target_delimiter", " "), rules.get("fewshot_delimiter", "\n\n")
    ask, answer = template(rules["doc_to_text"]), template(rules["doc_to_target"])
    parts = [f"{ask.render(**shot)}{between}{answer.render(**shot)}{behind}" for shot in shots]
    return "".join(parts) + str(ask.render(**row))


def filtered(steps: Sequence[Row], answer: str) -> str:
    """What a chain of lm-eval's filters leaves of an answer."""
    import lm_eval.filters  # noqa: F401  # registers them
    from lm_eval.api.registry import get_filter

    left: Any = [[answer]]
    for step in steps:
        options = {name: value for name, value in step.items() if name != "function"}
        left = list(get_filter(step["function"])(**options).apply(left, [{}]))
    return str(left[0])


def exact_match(rules: Row, gold: str, answer: str) -> bool:
    """Whether two texts are the same to the task's exact_match."""
    from lm_eval.api.metrics import exact_match_fn

    (metric,) = (metric for metric in rules["metric_list"] if metric["metric"] == "exact_match")
    options = {name: value for name, value in metric.items() if name.startswith(("ignore_", "regexes_"))}
    return bool(exact_match_fn(references=[gold], predictions=[answer], **options)["exact_match"])


@cache
def utils(task: str) -> Any:
    """The utils.py of a task, loaded by its path as lm-eval itself does; its package would bring all of datasets."""
    path = folder() / task / "utils.py"
    spec = spec_from_file_location(f"axon_lm_eval_{task}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (ImportError, AssertionError) as error:
        raise AxonError(f"lm-eval's scoring of {task} cannot be loaded ({error}); {INSTALL}") from None
    return module
