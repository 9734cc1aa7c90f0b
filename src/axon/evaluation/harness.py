"""AXON as a model of lm-eval: `--model axon`.

    lm_eval --model axon --model_args "pretrained=bundled,decoder=dawn+axon(budget=cover)" --tasks gsm8k

lm-eval 0.4.13 knows only models of its own or of modules that were imported, so the command `lm_eval` is this package's
(cli/lmeval.py); should a later installation of lm-eval have put its own back, `axon lm-eval` is the same. Releases
after it read the entry point `lm_eval.models`. From Python, import this module before
`lm_eval.simple_evaluate(model="axon", …)`.

--model_args may be key=value pairs with commas, where commas in parentheses do not separate, or one JSON object:
'{"pretrained": "bundled", "decoder": "dawn+axon(budget=cover,alpha=0.2)"}'.

A task's own max_gen_toks goes before max_new_tokens; --gen_kwargs max_gen_toks=256 goes before both. The published
LLaDA figures use one user turn: --apply_chat_template --fewshot_as_multiturn false.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tqdm import tqdm

from axon.canvas import Canvas
from axon.decoders import decoder
from axon.errors import AxonError
from axon.evaluation.asking import bos
from axon.evaluation.likelihood import log_likelihood
from axon.evaluation.lm_options import log, read
from axon.evaluation.lm_requests import Job, batches, to_jobs
from axon.generate import Generation, generate
from axon.models import load

try:
    # lm-eval takes a registry with anything in it for a complete one, so its own models go in first.
    import lm_eval.models  # noqa: F401
    from lm_eval.api.model import LM
    from lm_eval.api.registry import model_registry
    from lm_eval.utils import handle_arg_string
except ImportError as error:
    raise ImportError(f"the lm-eval model needs lm-eval ({error}); pip install axon-dllm[eval]") from error

NAME = "axon"
# Commas outside parentheses.
_COMMA = re.compile(r",(?![^()]*\))")


class AxonLM(LM):  # type: ignore[misc]  # lm-eval has no types
    """A model and a decoder of this library behind lm-eval's interface; arguments as in lm_options.Options."""

    def __init__(self, **given: Any) -> None:
        super().__init__()
        self.options = options = read(given)
        self.decoder = decoder(options.decoder)
        self.model = load(options.pretrained, device=options.device, dtype=options.dtype, revision=options.revision)
        if not self.model.has_tokenizer:
            raise AxonError(f"lm-eval asks in texts and {self.model.name} came without a tokenizer")
        # Hugging Face's object, where the model has one: lm-eval reads it too.
        self.tokenizer = getattr(getattr(self.model, "text", None), "tokenizer", None)
        self._start: list[int] = []
        if options.add_bos_token:
            self._start = [bos(self.model)]
        self._device = self.model.device

    @classmethod
    def create_from_arg_obj(cls, arg_dict: Mapping[str, Any], additional_config: Any = None) -> Any:
        """As lm-eval calls it for arguments that are a mapping; those go before lm-eval's own."""
        options = read(arg_dict, additional_config)
        return cls(**{name: getattr(options, name) for name in options.__slots__})

    @classmethod
    def create_from_arg_string(cls, arg_string: str, additional_config: Any = None) -> Any:
        """As lm-eval calls it for a text, which it would itself cut at every comma."""
        pairs = (part.partition("=") for part in _COMMA.split(arg_string) if part.strip())
        given = {name.strip(): handle_arg_string(value) for name, _, value in pairs}
        return cls.create_from_arg_obj(given, additional_config)

    def get_model_info(self) -> dict[str, Any]:
        """What lm-eval writes into its results."""
        return {**self.model.describe(), "decoder": str(self.decoder), "settings": self.options.settings().as_dict()}

    # Texts

    @property
    def tokenizer_name(self) -> str:
        """Names lm-eval's cache of requests."""
        return self.model.name.replace("/", "__")

    def chat_template(self, chat_template: bool | str = False) -> str | None:
        """The template, for lm-eval's results."""
        return getattr(self.tokenizer, "chat_template", None) or "" if chat_template else None

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """A chat as one text; without a generation prompt its last message is to be continued."""
        if not self.model.has_chat_template:
            raise AxonError(f"{self.model.name} has no chat template; leave --apply_chat_template out")
        if self.tokenizer is None:
            return self.model.decode(self.model.chat(chat_history))
        return str(
            self.tokenizer.apply_chat_template(
                chat_history,
                tokenize=False,
                add_generation_prompt=add_generation_prompt,
                continue_final_message=not add_generation_prompt,
            )
        )

    def encode(self, text: str) -> list[int]:
        """Tokens of a prompt, BOS in front if asked for and not there."""
        tokens = self.model.encode(text) if text else []
        return tokens if tokens[:1] == self._start else [*self._start, *tokens]

    # Requests

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """The answers, decoded in batches of requests that stop at the same texts, longest first."""
        jobs = to_jobs(self.model, self.options, requests, self.encode)
        answers = [""] * len(jobs)
        with tqdm(total=len(jobs), desc=f"{self.model.name}, {self.options.decoder}", disable=disable_tqdm) as bar:
            for batch in batches(jobs, self.options.batch_size):
                for job, result in zip(batch, self._decode(batch), strict=True):
                    # What stopped a row is in the log already; its answer is wrong, the others are not.
                    answers[job.index] = "" if result.error else result.text
                    self.cache_hook.add_partial("generate_until", requests[job.index].args, answers[job.index])
                bar.update(len(batch))
        return answers

    def loglikelihood(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Estimated log-likelihoods, and whether the decoder writes exactly the continuation."""
        found, errors = [], []
        options = self.options
        for request in tqdm(requests, desc="log-likelihood", disable=disable_tqdm):
            context, target = self._pair(*request.args)
            # One seed for all: continuations of one length are compared on the same draws.
            estimate = log_likelihood(
                self.model,
                context,
                target,
                samples=options.mc_samples,
                seed=options.seed,
                batch=options.batch_size,
            )
            found.append((estimate.value, self._writes(context, target)))
            errors.append(estimate.error)
            self.cache_hook.add_partial("loglikelihood", request.args, found[-1])
        if errors:
            log.info(
                "log-likelihoods are Monte-Carlo estimates from %d samples each; their standard error is %.3g nats on "
                "average and %.3g at most",
                options.mc_samples,
                fmean(errors),
                max(errors),
            )
        return found

    def loglikelihood_rolling(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[float]:
        """Refused."""
        raise AxonError(
            "a masked diffusion model has no token-by-token likelihood of a whole text, which perplexity tasks ask "
            "for; choose tasks that generate or that compare continuations"
        )

    def _decode(self, batch: Sequence[Job]) -> list[Generation]:
        # A seed of its own for every request, or repeats of one prompt would be sampled alike.
        seeds = tuple(self.options.seed + job.index for job in batch)
        settings = self.options.settings(batch[0].stop, batch[0].temperature, seeds)
        return generate(self.model, [job.canvas for job in batch], self.decoder, settings)

    def _pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
        """Tokens of both; a space between them belongs to the continuation, and the context to the left may go."""
        kept = context.rstrip()
        whole, before = self.encode(context + continuation), self.encode(kept)
        target = whole[len(before) :]
        room = self.model.max_length - len(target)
        return whole[max(0, len(before) - room) : len(before)], target

    def _writes(self, context: Sequence[int], target: Sequence[int]) -> bool:
        if not target:
            return True
        canvas = Canvas.from_prompt(context, len(target), self.model.mask_id)
        (result,) = generate(self.model, [canvas], self.decoder, self.options.settings())
        return result.canvas[len(context) :] == tuple(target)


if NAME not in model_registry:
    model_registry.register(NAME, target=f"axon.evaluation.harness:{AxonLM.__name__}")


def main() -> None:
    """lm-eval's own command line, with this model among its models."""
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()
