"""The tokenizer: frequent words, numbers up to 99 and a line's indentation are tokens; byte-pair for the rest.

A word in pieces is hard to read and to copy for a small model. So most of the vocabulary are whole words as they are
met, and the merges, which other words are put together by, are only a part of it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MASK, EOS = "<|mdm_mask|>", "<|endoftext|>"
_USER, _ASSISTANT = "<|user|>", "<|assistant|>"
# How a space is written in a byte-pair vocabulary.
SPACE = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
_PIECES = r"\n *| ?[A-Za-z]+|\d\d?| ?[^\sA-Za-z\d]+|\s"
# The part of the vocabulary that is learned as byte pairs, and the least of it beside the bytes.
_MERGED, _LEAST_MERGED = 0.2, 320
# A space before the prompt: its first word is then the same token as in the middle of a sentence.
_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}" + _ASSISTANT + "{{ message['content'] }}" + EOS + "{% else %}"
    "" + _USER + " {{ message['content'] }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + _ASSISTANT + "{% endif %}"
)


def build(texts: Iterable[str], size: int, longest: int) -> Any:
    """A tokenizer of at most `size` tokens learned from texts, as the transformers library uses it."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    # A word that is in the vocabulary is one token, whether or not merges lead to it.
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_PIECES), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=min(size, max(_LEAST_MERGED, int(_MERGED * size))),
        special_tokens=[MASK, EOS, _USER, _ASSISTANT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = list(texts)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer = _with_words(tokenizer, texts, size)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=EOS,
        pad_token=EOS,
        mask_token=MASK,
        chat_template=_TEMPLATE,
        model_max_length=longest,
        clean_up_tokenization_spaces=False,
    )


def _with_words(tokenizer: Any, texts: list[str], size: int) -> Any:
    """The tokenizer with the most frequent whole words added, up to `size`."""
    from tokenizers import Tokenizer

    written = json.loads(tokenizer.to_str())
    vocabulary = written["model"]["vocab"]
    pieces = Counter(piece for text in texts for piece in re.findall(_PIECES, text))
    cut = tokenizer.pre_tokenizer.pre_tokenize_str
    for piece, _ in sorted(pieces.items(), key=lambda found: (-found[1], found[0])):
        if len(vocabulary) >= size:
            break
        # One piece, but for marks outside ASCII.
        for word, _ in cut(piece):
            vocabulary.setdefault(word, len(vocabulary))
    return Tokenizer.from_str(json.dumps(written))


def twins(tokenizer: Any) -> list[tuple[int, int]]:
    """Words that are tokens with and without a space before them, in the order of their ids."""
    known = tokenizer.get_vocab()
    pairs = ((token, known.get(SPACE + text)) for text, token in known.items() if text.isalpha() and SPACE not in text)
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
