"""axon.load: a checkpoint folder or hub id becomes a model, with no remote code."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from axon.errors import AxonError, LoadError
from axon.models import dream, llada
from axon.models.base import Model
from axon.models.config import read_config, token_id
from axon.models.network import empty, ready
from axon.models.text import Text
from axon.models.toy import ToyModel
from axon.models.transformer import TransformerModel
from axon.models.weights import load_weights, weight_files

_FAMILIES: dict[str, ModuleType] = {module.ARCHITECTURE: module for module in (llada, dream)}
# Chat models end a turn with these beside their EOS; each counts where the tokenizer has it as a special token.
_END_OF_TURN = ("<|eot_id|>", "<|im_end|>")
# The small model that ships with the package.
BUNDLED = Path(__file__).parent.parent / "bundled"
_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]


def load(
    name: str | Path, *, device: str = "auto", dtype: str | torch.dtype = "auto", revision: str | None = None
) -> Model:
    """Load a LLaDA or Dream checkpoint from a folder or the hub, the "bundled" small one, or the weightless "toy".

    device  "auto" takes a CUDA device if there is one, else the CPU; otherwise any torch device.
    dtype   "auto" is float32 on the CPU and the checkpoint's own elsewhere; otherwise a torch float dtype.
    """
    if str(name) == "toy":
        return ToyModel()
    place = find_device(device)
    kind = _dtype(dtype, place)
    folder = _folder(str(name), revision)
    config = read_config(folder)
    architectures = config.get("architectures")
    if not isinstance(architectures, list) or not architectures or not isinstance(architectures[0], str):
        raise LoadError(f"{folder / 'config.json'} lacks the field architectures, a list with the model's class")
    family = _FAMILIES.get(architectures[0])
    if family is None:
        raise LoadError(
            f"{name} is a {architectures[0]} checkpoint; supported are {' and '.join(_FAMILIES)} (LLaDA and Dream)"
        )
    mask = token_id(config, "mask_token_id")
    network = _network(family, config, folder, place, kind)
    if mask >= network.config.vocab_size:
        raise LoadError(
            f"config.json gives mask_token_id {mask}, outside the vocabulary of {network.config.vocab_size}"
        )
    tokenizer = _tokenizer(folder, family)
    return TransformerModel(
        network=network,
        name=str(name),
        family=family.__name__.rpartition(".")[2],
        mask_id=mask,
        eos_ids=_eos_ids(config, folder, tokenizer),
        shift=family.SHIFT,
        text=Text(tokenizer, str(name)),
        revision=revision,
    )


def find_device(name: str) -> torch.device:
    """The device a user asked for, refused if it is not there."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = torch.device(name)
        torch.zeros(1, device=place).item()  # the meta device, for one, cannot
    except (RuntimeError, AssertionError, NotImplementedError, TypeError):
        raise AxonError(f"device {name!r} is not available here; use auto, cpu, or an accelerator that is") from None
    return place


def _dtype(name: str | torch.dtype, place: torch.device) -> torch.dtype | None:
    """None stands for the checkpoint's own."""
    if name == "auto":
        return torch.float32 if place.type == "cpu" else None
    kind = getattr(torch, name, None) if isinstance(name, str) else name
    if not isinstance(kind, torch.dtype) or not kind.is_floating_point or kind.itemsize < 2:
        raise AxonError(f"dtype must be auto, float32, bfloat16, float16 or float64, got {name!r}")
    return kind


def _folder(name: str, revision: str | None) -> Path:
    if name == "bundled":
        return BUNDLED
    if Path(name).is_dir():
        return Path(name)
    if Path(name).exists():
        raise LoadError(f"{name} is a file; give the folder that holds config.json and the weights")
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise LoadError(f"there is no folder {name}, and it is not a hub id of the form owner/name")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=_FILES))
    except HFValidationError:
        raise LoadError(f"there is no folder {name}, and it is not a hub id of the form owner/name") from None
    except Exception as error:  # offline, refused, not found, disk full: the hub client's errors share no base class
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise LoadError(f"there is no folder {name}, and the hub did not deliver it: {reason}") from None


def _network(
    family: ModuleType, config: dict[str, Any], folder: Path, place: torch.device, kind: torch.dtype | None
) -> Any:
    files = weight_files(folder)
    network = empty(family, config)
    tied = frozenset({"lm_head.weight"}) if network.config.tie_word_embeddings else frozenset()
    load_weights(
        network, files, family.rename, family.original, device=place, dtype=kind or _stored_dtype(config), tied=tied
    )
    if tied:
        network.lm_head.weight = network.model.embed_tokens.weight
    return ready(network, place)


def _stored_dtype(config: dict[str, Any]) -> torch.dtype:
    kind = getattr(torch, str(config.get("torch_dtype") or config.get("dtype") or "bfloat16"), None)
    return kind if isinstance(kind, torch.dtype) else torch.bfloat16


def _tokenizer(folder: Path, family: ModuleType) -> Any:
    """The folder's tokenizer, None if it has none."""
    from transformers import PreTrainedTokenizerFast, Qwen2Tokenizer

    try:
        if (folder / "tokenizer.json").is_file():
            return PreTrainedTokenizerFast.from_pretrained(folder)
        if family is dream and (folder / "vocab.json").is_file():
            # Dream names a tokenizer class of its own, which is Qwen2's over the same files.
            return Qwen2Tokenizer.from_pretrained(folder)
    except Exception as error:
        raise LoadError(f"the tokenizer files in {folder} cannot be read: {error}") from None
    return None


def _eos_ids(config: dict[str, Any], folder: Path, tokenizer: Any) -> frozenset[int]:
    found: set[int] = set()
    sources = [config]
    if (folder / "generation_config.json").is_file():
        try:
            sources.append(json.loads((folder / "generation_config.json").read_text()))
        except json.JSONDecodeError as error:
            raise LoadError(f"{folder / 'generation_config.json'} is not valid JSON ({error})") from None
    for source in sources:
        value = source.get("eos_token_id")
        found.update(value if isinstance(value, list) else [] if value is None else [value])
    if tokenizer is not None:
        added = tokenizer.get_added_vocab()
        found.update(added[token] for token in _END_OF_TURN if token in added)
        if tokenizer.eos_token_id is not None:
            found.add(tokenizer.eos_token_id)
    return frozenset(found)
