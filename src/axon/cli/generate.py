"""axon generate: write an answer, with a live view of the canvas on a terminal."""

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live

import axon
from axon.canvas import Canvas
from axon.cli.plugins import PluginOption, import_plugins
from axon.cli.view import CanvasView, pieces_of, summary
from axon.engine import Step
from axon.generate import Generation
from axon.models.base import Model
from axon.prompts import Prompt, to_canvases


def generate(
    prompt: Annotated[str, typer.Argument(help="The prompt; - reads it from standard input.")],
    model: Annotated[str, typer.Option(help="bundled, a checkpoint folder, a hub id, or toy.")] = "bundled",
    decoder: Annotated[str, typer.Option(help="See `axon decoders`.")] = "confidence+axon",
    max_new_tokens: Annotated[int, typer.Option(help="Tokens to write at most.")] = 256,
    block_length: Annotated[int, typer.Option(help="Positions decoded together; divides the above.")] = 32,
    temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Matters with a temperature only.")] = 0,
    cache: Annotated[str, typer.Option(help="none (exact), prefix or dual.")] = "none",
    stop: Annotated[list[str] | None, typer.Option(help="A text that ends the answer; repeatable.")] = None,
    stop_at_eos: Annotated[bool, typer.Option(help="End once all before the first EOS is written.")] = True,
    raw: Annotated[bool, typer.Option("--raw", help="Do not wrap the prompt in the chat template.")] = False,
    infill: Annotated[bool, typer.Option("--infill", help="The prompt is a text with [MASK:n] holes.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write every step to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the text.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No live view, even on a terminal.")] = False,
    delay: Annotated[float, typer.Option(min=0, help="Seconds each step of the live view stays.")] = 0.0,
    plugin: PluginOption = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, …")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")] = "auto",
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub id.")] = None,
) -> None:
    """Write an answer; on a terminal, show the canvas as it fills."""
    import_plugins(plugin or ())
    built = axon.decoder(decoder)
    settings = axon.Settings(
        max_new_tokens=max_new_tokens,
        block_length=block_length,
        temperature=temperature,
        seed=seed,
        cache=cache,  # type: ignore[arg-type]  # Settings checks it
        stop_at_eos=stop_at_eos,
        stop=tuple(stop or ()),
    )
    text = sys.stdin.read() if prompt == "-" else prompt
    loaded = axon.load(model, device=device, dtype=dtype, revision=revision)
    (canvas,) = to_canvases(loaded, [_prompt(loaded, text, raw=raw, infill=infill)], settings)
    live = sys.stdout.isatty() and not plain and not as_json
    view = CanvasView(canvas, pieces_of(loaded.decode), f"{decoder} on {loaded.name}", str(built))
    steps: list[Step] = []
    spent = 0.0
    with Live(view, auto_refresh=False) if live else nullcontext() as screen:
        steps_to_come = axon.stream(loaded, canvas, built, settings, trace=trace)
        while True:
            started = time.perf_counter()
            step = next(steps_to_come, None)
            spent += time.perf_counter() - started
            if step is None:
                break
            steps.append(step)
            if screen is not None:
                view.apply(step)
                screen.refresh()
                time.sleep(delay)
        view.end()
    result = Generation(loaded, canvas, settings, tuple(steps))
    if as_json:
        print(json.dumps(_as_dict(result, str(built), spent), ensure_ascii=False))
    elif not live:
        print(result.document if infill else result.text)
    print(summary(steps, len(result.tokens), spent), file=sys.stdout if live else sys.stderr)
    if result.error is not None:
        print(f"axon: {result.error}", file=sys.stderr)
        raise typer.Exit(1)


def _prompt(model: Model, text: str, *, raw: bool, infill: bool) -> Prompt:
    if infill:
        return Canvas.from_text(model, text)
    if raw or not text or not model.has_chat_template:
        return text
    return [{"role": "user", "content": text}]


def _as_dict(result: Generation, decoder: str, seconds: float) -> dict[str, Any]:
    return {
        "text": result.text,
        "document": result.document,
        "tokens": result.tokens,
        "finish_reason": result.finish_reason,
        "error": result.error,
        "nfe": result.nfe,
        "nfe_full": result.nfe_full,
        "nfe_cached": result.nfe_cached,
        "gate_open": sum(bool(step.gate and step.gate.open) for step in result.steps),
        "seconds": round(seconds, 4),
        "model": result.model.describe(),
        "decoder": decoder,
        "settings": result.settings.as_dict(),
    }
