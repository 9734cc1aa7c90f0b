"""Tasks of the literature, with the prompts and the scoring of lm-eval."""

from axon.tasks.published.base import Published, PublishedCode
from axon.tasks.published.gsm8k import Gsm8k
from axon.tasks.published.humaneval import HumanEval
from axon.tasks.published.mbpp import Mbpp
from axon.tasks.published.minerva import Minerva

__all__ = ["Gsm8k", "HumanEval", "Mbpp", "Minerva", "Published", "PublishedCode"]
