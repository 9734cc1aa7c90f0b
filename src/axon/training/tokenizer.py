"""The tokenizer: byte-pair over words, with every number up to 99 and every line's indentation a token of its own."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MASK, EOS = "<|mdm_mask|>", "<|endoftext|>"
_USER, _ASSISTANT = "<|user|>", "<|assistant|>"
# How a space is written in a byte-pair vocabulary.
_SPACE = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
_PIECES = r"\n *| ?[A-Za-z]+|\d\d?| ?[^\sA-Za-z\d]+|\s"
_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}" + _ASSISTANT + "{{ message['content'] }}" + EOS + "{% else %}"
    "" + _USER + "{{ message['content'] }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + _ASSISTANT + "{% endif %}"
)


def build(texts: Iterable[str], size: int, longest: int) -> Any:
    """A tokenizer of at most `size` tokens learned from texts, as the transformers library uses it."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_PIECES), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[MASK, EOS, _USER, _ASSISTANT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=EOS,
        pad_token=EOS,
        mask_token=MASK,
        chat_template=_TEMPLATE,
        model_max_length=longest,
        clean_up_tokenization_spaces=False,
    )


def twins(tokenizer: Any) -> list[tuple[int, int]]:
    """Words that are tokens with and without a space before them, in the order of their ids."""
    known = tokenizer.get_vocab()
    pairs = (
        (token, known.get(_SPACE + text)) for text, token in known.items() if text.isalpha() and _SPACE not in text
    )
    return sorted((one, other) for one, other in pairs if other is not None)


def save(tokenizer: Any, folder: Path) -> None:
    """Write the tokenizer as the published checkpoints have it, which older transformers releases read as well."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        # The newest releases write a class name that only they know.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": EOS,
        "pad_token": EOS,
        "mask_token": MASK,
        "model_max_length": tokenizer.model_max_length,
        "clean_up_tokenization_spaces": False,
        "chat_template": tokenizer.chat_template,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")


def load(folder: Path) -> Any:
    """A tokenizer that was saved."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast.from_pretrained(folder)
