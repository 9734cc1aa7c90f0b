"""lm-eval's requests to generate, as canvases in batches."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from axon.canvas import Canvas
from axon.evaluation.lm_options import Options, log
from axon.models.base import Model

KNOWN = {"until", "max_gen_toks", "temperature", "do_sample"}


@dataclass(frozen=True, slots=True)
class Job:
    """One request, ready to be decoded; `index` is its place among the requests."""

    index: int
    canvas: Canvas
    stop: tuple[str, ...]
    temperature: float


def fit(prompt: Sequence[int], wanted: int, block: int, most: int) -> tuple[Sequence[int], int]:
    """The prompt and the length of its answer: whole blocks, no more positions together than the model has.

    The answer gives way first. If not even one block is left, the prompt loses its beginning, as it does in lm-eval.
    """
    length = -(-wanted // block) * block
    room = (most - len(prompt)) // block * block
    if room >= block:
        return prompt, min(length, room)
    length = max(block, min(length, most // 2 // block * block))
    return prompt[len(prompt) - (most - length) :], length


def to_jobs(
    model: Model, options: Options, requests: Sequence[Any], encode: Callable[[str], Sequence[int]]
) -> list[Job]:
    """Every request as a job; what could not be honoured is said once."""
    from lm_eval.models.utils import normalize_gen_kwargs

    jobs: list[Job] = []
    ignored: set[str] = set()
    shortened = cut = 0
    for index, request in enumerate(requests):
        text, given = request.args[:2]
        asked = normalize_gen_kwargs(given, default_max_gen_toks=options.max_new_tokens)
        ignored |= asked.keys() - KNOWN
        whole = encode(text)
        prompt, length = fit(whole, asked["max_gen_toks"], options.block_length, model.max_length)
        cut += len(prompt) < len(whole)
        shortened += length < asked["max_gen_toks"]
        canvas = Canvas.from_prompt(prompt, length, model.mask_id)
        stop = tuple(text for text in asked["until"] if text)
        jobs.append(Job(index, canvas, stop, float(asked.get("temperature", 0.0))))
    if ignored:
        log.warning("generation arguments without a meaning here are left out: %s", ", ".join(sorted(ignored)))
    if shortened or cut:
        log.warning(
            "%s allows %d positions: %d of %d answers get fewer tokens than asked for and %d prompts lose their start",
            model.name,
            model.max_length,
            shortened,
            len(jobs),
            cut,
        )
    return jobs


def batches(jobs: Sequence[Job], size: int) -> Iterator[list[Job]]:
    """Jobs that stop at the same texts and have the same temperature, longest first: if memory ends, it ends soon."""
    alike: dict[tuple[tuple[str, ...], float], list[Job]] = defaultdict(list)
    for job in sorted(jobs, key=lambda job: -len(job.canvas)):
        alike[job.stop, job.temperature].append(job)
    for group in alike.values():
        yield from (group[first : first + size] for first in range(0, len(group), size))
