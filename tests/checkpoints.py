"""Tiny checkpoints in the published folder formats: the golden weights' first two layers, and letters for tokens."""

import json
import re

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from cases import GOLDEN

BOS, EOS, MASK = 125, 126, 127


def letters():
    """A token a printable ASCII character, as the byte-level alphabet writes them."""
    alphabet = {"\n": "Ċ", " ": "Ġ"}
    return [alphabet.get(letter, letter) for letter in ["\n", *map(chr, range(32, 127))]]


def save_llada(folder):
    """As LLaDA's: a tokenizer.json, and a chat template in tokenizer_config.json."""
    shrink("llada", folder, {"n_layers": 2, "max_sequence_length": 8192})
    special = ["<|startoftext|>", "<|endoftext|>", "<|mdm_mask|>"]
    words = letters()
    words += [f"<unused{number}>" for number in range(len(words), BOS)] + special
    tokenizer = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    tokenizer.save(str(folder / "tokenizer.json"))
    template = (
        "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}]\n{{ message['content'] }}{% endfor %}"
    )
    settings = {"bos_token": special[0], "eos_token": special[1], "mask_token": special[2]}
    settings |= {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template + "\n[assistant]\n"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def save_dream(folder):
    """As Dream's: vocab.json, merges.txt and a tokenizer class of its own."""
    shrink("dream", folder, {"num_hidden_layers": 2, "max_position_embeddings": 8192})
    words = letters()
    words += [f"<unused{number}>" for number in range(len(words), BOS)]
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    special = {BOS: "<|beginoftext|>", EOS: "<|endoftext|>", MASK: "<|mask|>"}
    flags = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
    settings = {
        "added_tokens_decoder": {str(number): {"content": text, **flags} for number, text in special.items()},
        "bos_token": special[BOS],
        "eos_token": special[EOS],
        "pad_token": special[EOS],
        "mask_token": special[MASK],
        "tokenizer_class": "DreamTokenizer",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def shrink(family, folder, changes):
    folder.mkdir()
    config = json.loads((GOLDEN / family / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    tensors = load_file(GOLDEN / family / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not re.search(r"\.(?:[2-9]|\d\d)\.", name)}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
