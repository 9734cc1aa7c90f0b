"""AXON behind lm-eval: its own task definitions run, its requests are honoured, likelihoods are estimated."""

import importlib
import itertools
import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import lm_eval
import pytest
import torch
import yaml
from lm_eval.tasks import TaskManager
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import axon
from axon.errors import AxonError
from axon.evaluation import harness, likelihood, lm_options
from axon.evaluation.harness import AxonLM
from axon.evaluation.likelihood import log_likelihood
from axon.evaluation.lm_requests import fit
from axon.models.text import Text
from axon.tasks.published import lmeval
from cases import golden
from published_cases import DATA, REAL, read, write, write_handmade

MODEL = "bundled"
DECODER = "dawn+axon(budget=cover,alpha=0.2)"
SENTENCE = "a word that many others lean on is worth writing first, and the rest will follow."


@pytest.fixture(scope="module")
def local_gsm8k(tmp_path_factory):
    """A folder with lm-eval's gsm8k as it is defined, but on a few local problems, real ones where they are."""
    folder = tmp_path_factory.mktemp("gsm8k")
    source = DATA if "gsm8k" in REAL else write_handmade(folder)
    files = {}
    for split in ("train", "test"):
        (file,) = source.glob(f"gsm8k_{split}*.jsonl")
        # A small model spells no others and has no room for long ones.
        texts = ((row, row["question"] + row["answer"]) for row in read(file))
        rows = [row for row, text in texts if text.isascii() and len(text) < 250]
        assert len(rows) >= 4
        files[split] = folder / f"{split}.jsonl"
        write(files[split], rows[:40])
    local = {
        "include": str(lmeval.folder() / "gsm8k" / "gsm8k.yaml"),
        "task": "gsm8k_local",
        "dataset_path": "json",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {split: str(file) for split, file in files.items()}, "cache_dir": str(folder)},
    }
    (folder / "gsm8k_local.yaml").write_text(yaml.safe_dump(local))
    return folder


def request(*arguments):
    return SimpleNamespace(args=arguments)


def made(**options):
    return AxonLM(pretrained="toy", **options)


# Whole runs


def test_lm_evals_gsm8k_runs_and_gets_what_the_decoder_writes(local_gsm8k):
    results = lm_eval.simple_evaluate(
        model="axon",
        model_args=f"pretrained={MODEL},decoder={DECODER},max_new_tokens=64,block_length=32,batch_size=3",
        tasks=["gsm8k_local"],
        task_manager=TaskManager(include_path=local_gsm8k, include_defaults=False),
        limit=4,
        num_fewshot=1,
        bootstrap_iters=0,
    )
    measured = results["results"]["gsm8k_local"]
    assert {"exact_match,strict-match", "exact_match,flexible-extract"} <= measured.keys()
    assert results["config"]["decoder"] == str(axon.decoder(DECODER))
    samples = [sample for sample in results["samples"]["gsm8k_local"] if sample["filter"] == "strict-match"]
    assert len(samples) == 4
    model = axon.load(MODEL)
    settings = axon.Settings(max_new_tokens=64, block_length=32, stop=("Question:", "</s>", "<|im_end|>"))
    for sample in samples:
        prompt = sample["arguments"][0][0]
        assert prompt.count("Question: ") == 2
        (alone,) = axon.generate(model, prompt, axon.decoder(DECODER), settings)
        assert sample["resps"] == [[alone.text]]


@pytest.mark.parametrize("start", [["lm_eval"], ["axon", "lm-eval"]], ids=" ".join)
def test_the_command_line_of_lm_eval_knows_the_model(local_gsm8k, tmp_path, start):
    command = [Path(sys.executable).parent / start[0], *start[1:], "--model", "axon", "--model_args"]
    command += [f"pretrained={MODEL},decoder={DECODER},max_new_tokens=32,batch_size=2", "--tasks", "gsm8k_local"]
    command += [
        "--include_path",
        str(local_gsm8k),
        "--limit",
        "2",
        "--num_fewshot",
        "1",
        "--output_path",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "gsm8k_local" in done.stdout
    assert "flexible-extract" in done.stdout
    (file,) = tmp_path.rglob("results_*.json")
    config = json.loads(file.read_text())["config"]
    assert config["model"] == "axon"
    assert config["decoder"] == str(axon.decoder(DECODER))
    assert config["settings"]["batch_size"] == 2


def test_chats_reach_the_model_as_lm_eval_builds_them(local_gsm8k):
    lm = made(max_new_tokens=32)
    results = lm_eval.simple_evaluate(
        model=lm,
        tasks=["gsm8k_local"],
        task_manager=TaskManager(include_path=local_gsm8k, include_defaults=False),
        limit=1,
        num_fewshot=1,
        bootstrap_iters=0,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
    )
    sample = results["samples"]["gsm8k_local"][0]
    question, answer, asked = sample["arguments"][0][0].splitlines()
    assert question.startswith("Question: ")
    assert "####" in answer
    assert asked == f"Question: {sample['doc']['question']} Answer:".replace("\n", " ")


def test_newer_versions_of_lm_eval_find_it_by_its_entry_point():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    module, _, name = project["project"]["entry-points"]["lm_eval.models"]["axon"].partition(":")
    assert getattr(importlib.import_module(module), name) is AxonLM
    assert lm_eval.api.registry.get_model("axon") is AxonLM
    assert lm_eval.api.registry.get_model("dummy").__name__ == "DummyLM"


@pytest.mark.parametrize(
    ("arguments", "module", "code"),
    [(["axon", "lm-eval", "--help"], "axon.cli", 2), (["lm_eval", "--help"], "axon.cli.lmeval", 1)],
)
def test_without_lm_eval_it_says_what_to_install(arguments, module, code):
    start = f"import sys; sys.modules['lm_eval'] = None; sys.argv = {arguments}; from {module} import main; main()"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True)
    assert done.returncode == code
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{arguments[0]}: the lm-eval model needs lm-eval")
    assert line.endswith("pip install axon-dllm[eval]")


def test_the_command_answers_bad_input_with_one_sentence():
    command = [Path(sys.executable).parent / "lm_eval", "--model", "axon", "--tasks", "gsm8k", "--model_args"]
    done = subprocess.run([*command, "pretrained=toy,decoder=fastest"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("lm_eval: unknown decoder 'fastest'")
    assert "Traceback" not in done.stderr


# Arguments


@pytest.mark.parametrize(
    "text",
    [
        "pretrained=toy,decoder=dawn+axon(budget=cover,alpha=0.2),seed=3",
        'seed=3,decoder="dawn+axon(budget=cover,alpha=0.2)",pretrained=toy,',
    ],
)
def test_commas_in_a_decoder_do_not_separate_arguments(text):
    options = AxonLM.create_from_arg_string(text, {"batch_size": "4", "max_batch_size": None, "device": None}).options
    assert (options.decoder, options.seed, options.batch_size) == (DECODER, 3, 4)


def test_model_args_go_before_what_lm_eval_adds(caplog):
    with caplog.at_level("INFO", logger="lm_eval"):
        lm = AxonLM.create_from_arg_obj(
            {"pretrained": "toy", "batch_size": 16}, {"batch_size": 1, "device": "cuda:7", "max_batch_size": 8}
        )
    assert lm.options.batch_size == 16
    if not torch.cuda.is_available():
        assert lm.options.device == "auto"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "--model axon needs pretrained=…: bundled, a checkpoint folder or a hub id"),
        ({"pretrained": "toy", "speed": 2}, "--model axon has no argument 'speed'; it takes pretrained, decoder, "),
        ({"pretrained": 7}, "pretrained must be a text, got 7"),
        ({"pretrained": "toy", "decoder": "fastest"}, "unknown decoder 'fastest'"),
        ({"pretrained": "toy", "batch_size": "auto"}, "batch_size must be a whole number of at least 1, got 'auto'"),
        ({"pretrained": "toy", "block_length": 48}, "block_length must divide max_new_tokens"),
        ({"pretrained": "toy", "mc_samples": 0}, "mc_samples must be a whole number of at least 1"),
        ({"pretrained": "toy", "add_bos_token": 1}, "add_bos_token must be true or false"),
        ({"pretrained": "toy", "add_bos_token": True}, "a BOS token is asked for and toy has none"),
        ({"pretrained": "toy", "device": "moon"}, "device 'moon' is not available"),
    ],
)
def test_bad_arguments_are_answered_with_one_sentence(options, said):
    if options.get("device"):
        options = options | {"pretrained": str(Path(__file__).parent / "golden" / "llada")}
    with pytest.raises(AxonError) as told:
        AxonLM.create_from_arg_obj(options)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_a_model_without_a_tokenizer_is_refused():
    with pytest.raises(AxonError, match=r"lm-eval asks in texts and .* came without a tokenizer"):
        AxonLM(pretrained=str(Path(__file__).parent / "golden" / "llada"))


# Generation


def test_requests_come_back_in_their_order_and_stop_where_they_ask():
    lm = made(max_new_tokens=96, batch_size=2)
    answers = lm.generate_until(
        [
            request("Choose.\n", {"until": [" lean", ""], "do_sample": False, "temperature": 0.7}),
            request("Choose.\n", {"until": []}),
            request("Choose.\n", {"until": " worth", "max_gen_toks": 200}),
            request("Choose.\n", {"until": ["no such text"], "max_gen_toks": 33}),
        ],
        disable_tqdm=True,
    )
    assert answers == ["a word that many others", SENTENCE, SENTENCE.partition(" worth")[0], SENTENCE[:64]]


def test_the_answer_gives_way_to_the_prompt_and_only_then_the_prompt_loses_its_start():
    prompt = list(range(100))
    assert fit(prompt, 33, 32, 512) == (prompt, 64)
    assert fit(prompt, 500, 32, 512) == (prompt, 384)
    assert fit(prompt, 64, 32, 132) == (prompt, 32)
    assert fit(prompt, 64, 32, 131) == (prompt[-67:], 64)
    assert fit(prompt, 500, 32, 110) == (prompt[-78:], 32)


def test_what_cannot_be_honoured_is_logged(caplog):
    lm = made(decoder="confidence(threshold=0.01)")
    kinds = [("x" * 2046 + "\n", {"until": [], "top_p": 0.9}), ("x" * 1899 + "\n", {"until": [], "max_gen_toks": 256})]
    with caplog.at_level("WARNING", logger="lm_eval"):
        lm.generate_until([request(*kind) for kind in kinds], disable_tqdm=True)
    left_out, shorter = (record.getMessage() for record in caplog.records)
    assert left_out == "generation arguments without a meaning here are left out: top_p"
    assert shorter == (
        "toy allows 2048 positions: 1 of 2 answers get fewer tokens than asked for and 1 prompts lose their start"
    )


def test_repeats_of_a_prompt_are_sampled_apart_and_the_same_in_every_run():
    asked = [request("Choose.\n", {"until": [], "do_sample": True, "temperature": 3.0, "max_gen_toks": 32})] * 3
    first = made(batch_size=3).generate_until(asked, disable_tqdm=True)
    assert len(set(first)) == 3
    assert made(batch_size=2).generate_until(asked, disable_tqdm=True) == first
    assert made(seed=9).generate_until(asked, disable_tqdm=True) != first


def test_answers_are_handed_to_lm_evals_cache():
    lm, seen = made(max_new_tokens=32), []
    lm.set_cache_hook(SimpleNamespace(add_partial=lambda *given: seen.append(given)))
    asked = request("Choose.\n", {"until": []})
    (answer,) = lm.generate_until([asked], disable_tqdm=True)
    assert seen == [("generate_until", asked.args, answer)]


def test_a_row_that_fails_is_an_empty_answer_and_no_more(monkeypatch):
    lm = made(max_new_tokens=32, batch_size=2)
    real = harness.generate

    def generate(*arguments):
        first, *others = real(*arguments)
        broken = replace(first.steps[-1], finish_reason="error", error="not a number")
        return [replace(first, steps=(*first.steps[:-1], broken)), *others]

    monkeypatch.setattr(harness, "generate", generate)
    answers = lm.generate_until([request("Choose.\n", {"until": []})] * 2, disable_tqdm=True)
    assert answers == ["", SENTENCE[:32]]


# A tokenizer as published checkpoints have one


@pytest.fixture
def spoken(monkeypatch):
    """The tiny LLaDA with a tokenizer of a few words and a chat template."""
    words = ["<bos>", "<eos>", "[UNK]", "<user>", "<bot>", "hello", "world", "yes", "no"]
    inner = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token="<bos>",
        eos_token="<eos>",
        extra_special_tokens=["<user>", "<bot>"],
        chat_template="<bos>{% for m in messages %} <{{ 'user' if m.role == 'user' else 'bot' }}> {{ m.content }}"
        "{% endfor %}{% if add_generation_prompt %} <bot>{% endif %}",
    )
    model = replace(golden("llada"), text=Text(tokenizer, "spoken"))
    monkeypatch.setattr(harness, "load", lambda *arguments, **options: model)
    return lambda **options: AxonLM(pretrained="spoken", **options)


def test_the_chat_template_is_the_tokenizers(spoken):
    lm = spoken()
    chat = [{"role": "user", "content": "hello"}]
    assert lm.apply_chat_template(chat) == "<bos> <user> hello <bot>"
    begun = [*chat, {"role": "assistant", "content": "yes"}]
    assert lm.apply_chat_template(begun, add_generation_prompt=False) == "<bos> <user> hello <bot> yes"
    assert lm.encode(lm.apply_chat_template(chat)) == lm.model.chat(chat) == [0, 3, 5, 4]
    assert lm.chat_template(True) == lm.tokenizer.chat_template
    assert lm.chat_template(False) is None
    assert "/" not in lm.tokenizer_name


def test_bos_is_put_in_front_once_if_asked_for(spoken):
    assert spoken().encode("hello world") == [5, 6]
    assert spoken(add_bos_token=True).encode("hello world") == [0, 5, 6]
    assert spoken(add_bos_token=True).encode("<bos> hello world") == [0, 5, 6]
    assert spoken(add_bos_token=True).encode("") == [0]


def test_a_model_without_a_chat_template_refuses_chats(spoken):
    lm = spoken()
    lm.tokenizer.chat_template = None
    with pytest.raises(AxonError, match="has no chat template; leave --apply_chat_template out"):
        lm.apply_chat_template([{"role": "user", "content": "hello"}])


# Likelihoods


def expected(model, context, target):
    """The estimate's expectation, over every number and every set of hidden tokens."""
    size = len(target)
    total = 0.0
    for count in range(1, size + 1):
        sets = list(itertools.combinations(range(size), count))
        hidden = torch.tensor([[place in chosen for place in range(size)] for chosen in sets])
        total += float(likelihood._masked_log_prob(model, context, target, hidden).mean()) * size / count
    return total / size


@pytest.mark.parametrize("family", ["llada", "dream"])
def test_a_likelihood_is_estimated_without_bias(family):
    model = golden(family)
    context, target = [3, 14, 15], [9, 26, 5]
    estimate = log_likelihood(model, context, target, samples=400, batch=100)
    assert 0 < estimate.error < 2
    assert abs(estimate.value - expected(model, context, target)) < 4 * estimate.error
    assert estimate == log_likelihood(model, context, target, samples=400, batch=100)


def test_hidden_tokens_are_scored_as_the_network_does(llada):
    hidden = torch.tensor([[True, False, True], [True, True, True]])
    found = likelihood._masked_log_prob(llada, [3, 14], [9, 26, 5], hidden)
    rows = torch.tensor([[3, 14, llada.mask_id, 26, llada.mask_id], [3, 14, *[llada.mask_id] * 3]])
    canvases = [axon.Canvas(tuple(row), tuple(t == llada.mask_id for t in row)) for row in rows.tolist()]
    for canvas, value, chosen in zip(canvases, found, ([2, 4], [2, 3, 4]), strict=True):
        engine = axon.Engine(llada, axon.decoder("sequential"))
        engine.join(0, canvas, axon.Settings(max_new_tokens=32, block_length=32))
        frame = engine._frame(list(engine._rows.values()))
        reading = llada.evaluate(frame, axon.decoder("sequential").needs).look(
            torch.tensor([[place in chosen for place in range(5)]]), likelihood.Needs(log_probs=True)
        )
        right = [[9, 26, 5][place - 2] for place in chosen]
        assert float(reading.log_probs[range(len(chosen)), right].sum()) == pytest.approx(float(value), abs=1e-4)


def test_one_token_has_its_exact_likelihood_and_none_has_all(llada):
    estimate = log_likelihood(llada, [3, 14], [9], samples=5, batch=2)
    assert estimate.error == pytest.approx(0.0, abs=1e-4)
    assert estimate.value == pytest.approx(expected(llada, [3, 14], [9]), abs=1e-4)
    assert log_likelihood(llada, [3], [], samples=5) == likelihood.Estimate(0.0, 0.0)
    with pytest.raises(AxonError, match=r"a text of 600 tokens is too long, .* allows 512"):
        log_likelihood(llada, [1] * 300, [1] * 300)


def test_lm_eval_gets_likelihoods_their_error_and_whether_the_decoder_agrees(caplog):
    lm = made(mc_samples=16, batch_size=8)
    asked = [("Choose.\na word", " that many others"), ("Choose.\na word", " that any brother"), ("", "")]
    with caplog.at_level("INFO", logger="lm_eval"):
        right, wrong, nothing = lm.loglikelihood([request(*pair) for pair in asked], disable_tqdm=True)
    assert right[0] > wrong[0]
    assert (right[1], wrong[1]) == (True, False)
    assert nothing == (0.0, True)
    assert "Monte-Carlo estimates from 16 samples each; their standard error is" in caplog.text


def test_a_space_between_context_and_continuation_belongs_to_the_continuation():
    lm = made()
    assert lm._pair("ab ", "cd") == (lm.encode("ab"), lm.encode(" cd"))
    context, target = lm._pair("x" * 3000, "yz")
    assert (len(context), target) == (2046, lm.encode("yz"))


def test_rolling_likelihoods_are_refused():
    with pytest.raises(AxonError, match="choose tasks that generate or that compare continuations"):
        made().loglikelihood_rolling([])


def test_log_lines_appear_among_lm_evals():
    assert lm_options.log.name.startswith("lm_eval.")
