"""What `lm_eval --model axon --model_args …` may be given, checked before anything is loaded."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import torch

from axon import checks
from axon.decoders import decoder
from axon.errors import AxonError
from axon.settings import Settings

# A child of lm-eval's logger, so that its lines appear among lm-eval's own.
log = logging.getLogger("lm_eval.models.axon")


@dataclass(frozen=True, slots=True)
class Options:
    """Arguments of the lm-eval model.

    pretrained      "bundled", "toy", a checkpoint folder or a hub id
    decoder         a specification, such as dawn+axon(budget=cover)
    max_new_tokens  for tasks that set no max_gen_toks of their own
    block_length, cache, seed, device, dtype, revision  as everywhere in axon
    batch_size      requests decoded together
    add_bos_token   put the tokenizer's BOS in front of every prompt, as Dream's own scripts do
    mc_samples      evaluations behind each log-likelihood
    """

    pretrained: str
    decoder: str = "confidence+axon"
    max_new_tokens: int = 256
    block_length: int = 32
    cache: Literal["none", "prefix", "dual"] = "none"
    batch_size: int = 1
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    revision: str | None = None
    add_bos_token: bool = False
    mc_samples: int = 32

    def __post_init__(self) -> None:
        for name in ("pretrained", "decoder", "device", "dtype"):
            if not isinstance(getattr(self, name), str):
                raise AxonError(f"{name} must be a text, got {getattr(self, name)!r}")
        decoder(self.decoder)
        checks.flag("add_bos_token", self.add_bos_token)
        checks.whole("mc_samples", self.mc_samples)
        self.settings()

    def settings(self, stop: tuple[str, ...] = (), temperature: float = 0.0, seeds: tuple[int, ...] = ()) -> Settings:
        """Settings of one batch of requests."""
        return Settings(
            max_new_tokens=self.max_new_tokens,
            block_length=self.block_length,
            temperature=temperature,
            seed=seeds or self.seed,
            cache=self.cache,
            stop=stop,
            batch_size=self.batch_size,
        )


def read(given: Mapping[str, Any], harness: Mapping[str, Any] | None = None) -> Options:
    """Options from --model_args, and from what lm-eval adds of its own; the former win."""
    added = {name: value for name, value in (harness or {}).items() if value is not None and name not in given}
    # There is nothing to find out: rows of any number are decoded together.
    added.pop("max_batch_size", None)
    if str(added.get("device", "")).startswith("cuda") and not torch.cuda.is_available():
        # lm-eval's command line asks for cuda:0 unless told otherwise, on every machine.
        log.info("there is no CUDA device, so the model runs on the CPU")
        added["device"] = "auto"
    values = {**added, **given}
    known = [field.name for field in fields(Options)]
    for name in values:
        if name not in known:
            raise AxonError(f"--model axon has no argument {name!r}; it takes {', '.join(known)}")
    if "pretrained" not in values:
        raise AxonError("--model axon needs pretrained=…: bundled, a checkpoint folder or a hub id")
    size = values.get("batch_size")
    if isinstance(size, str) and size.isdecimal():
        values["batch_size"] = int(size)
    return Options(**values)
