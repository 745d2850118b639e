from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pytest_mint.errors import UserError
from pytest_mint.tasks import mint_bench
from tests.needs import need, pack
from tests.tasks.checkout import episodes_of, rows_of, write_checkout

MODEL = "gpt-3.5-turbo-0613"
PER_DATASET = 12


@pytest.fixture(scope="module")
def source() -> Path:
    return need(pack(), "the pack of the MINT benchmark (MINT_PACK)")


@pytest.fixture(scope="module")
def checkout(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some tasks of every dataset, with all runs of one model."""
    few: dict[str, set[object]] = {}
    for row in rows_of(source):
        ids = few.setdefault(row["dataset"], set())
        if len(ids) < PER_DATASET:
            ids.add(row["id"])
    folder = tmp_path_factory.mktemp("mint-bench")
    write_checkout(source, folder, MODEL, lambda r: r["id"] in few[r["dataset"]])
    return folder


class TestBothSources:
    def test_give_the_same_tasks(self, source, checkout):
        ours = {task.key: task for task in mint_bench.load_tasks(checkout)}
        theirs = {task.key: task for task in mint_bench.load_tasks(source)}
        assert len(ours) == 8 * PER_DATASET
        for key, task in ours.items():
            assert task == theirs[key], key
            assert task.digest == theirs[key].digest

    @pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
    def test_give_the_same_episodes(self, source, checkout, steps):
        ours = mint_bench.load_episodes(checkout, MODEL, steps)
        theirs = mint_bench.load_episodes(source, MODEL, steps)
        arms = 2 if steps == 5 else 1
        assert len(ours) == arms * 8 * PER_DATASET
        for key, episode in ours.items():
            assert episode == theirs[key], key

    def test_give_the_same_results(self, source, checkout):
        theirs = {result.task: result for result in mint_bench.results(source, MODEL)}
        for result in mint_bench.results(checkout, MODEL):
            assert result.digest == theirs[result.task].digest
            for arm, episode in result.episodes.items():
                assert episode == theirs[result.task].episodes[arm]


class TestPack:
    def test_has_586_tasks_of_which_134_need_a_simulator(self, source):
        tasks = mint_bench.load_tasks(source)
        assert len(tasks) == 586
        assert sum(bool(task.needs) for task in tasks) == 134
        counts: dict[str, int] = {}
        for task in tasks:
            counts[task.dataset] = counts.get(task.dataset, 0) + 1
        assert counts == {
            "gsm8k": 48,
            "hotpotqa": 43,
            "math": 100,
            "mmlu": 76,
            "theoremqa": 49,
            "humaneval": 45,
            "mbpp": 91,
            "alfworld": 134,
        }

    def test_categories_and_ids_are_ours(self, source):
        tasks = {task.key for task in mint_bench.load_tasks(source)}
        assert {"reasoning/gsm8k-12", "coding/mbpp-15"} <= tasks
        assert {key.split("/")[0] for key in tasks} == {
            "reasoning",
            "coding",
            "decision_making",
        }

    def test_all_models_are_listed(self, source):
        assert mint_bench.models(source) == (
            "CodeLlama-34b-Instruct-hf",
            "Llama-2-70b-chat-hf",
            "Meta-Llama-3-70B-Instruct",
            "Mistral-7B-Instruct-v0.1",
            "claude-2",
            "gpt-3.5-turbo-0613",
            "gpt-4-0613",
        )

    @pytest.mark.parametrize("model", ["claude-2", "gpt-4-0613"])
    def test_every_flag_and_length_is_that_of_the_record(self, source, model):
        episodes = mint_bench.load_episodes(source, model)
        keys = {task.id: task.key for task in mint_bench.load_tasks(source)}
        arms = {"ef": "ef", "ef+nlf": "nlf"}
        seen = 0
        for row in episodes_of(source, model):
            if row["arm"] not in arms:
                continue
            task = mint_bench.task_id(row["dataset"], row["id"])
            episode = episodes[keys[task], arms[row["arm"]]]
            assert episode.solved == row["success"]
            assert len(episode.turns) == len(row["turns"])
            assert (episode.success_turn or len(row["turns"])) == len(row["turns"])
            reason = row["terminate_reason"]
            assert (episode.outcome == "context_overflow") == (reason == "error")
            seen += 1
        assert seen == len(episodes) == 2 * 586

    def test_tokens_and_hints_are_kept(self, source):
        episodes = mint_bench.load_episodes(source, MODEL)
        spent = sum(
            turn.tokens.prompt for one in episodes.values() for turn in one.turns
        )
        recorded = sum(
            row["tokens"].get("prompt_tokens", 0)
            for row in episodes_of(source, MODEL)
            if row["arm"] in ("ef", "ef+nlf") and row["turns"]
        )
        assert spent == recorded > 0
        hints = {a: [t.hint for t in e.turns] for (_, a), e in episodes.items()}
        assert any(hints["nlf"])
        assert not any(hints["ef"])


class TestRefusals:
    def test_a_folder_that_is_neither(self, tmp_path):
        assert not mint_bench.holds_benchmark(tmp_path)
        with pytest.raises(
            UserError, match=r"neither the MINT benchmark .* nor a pack"
        ):
            mint_bench.load_tasks(tmp_path)

    def test_an_unknown_model_is_told_which_there_are(self, checkout):
        with pytest.raises(UserError, match=f"no recording of 'claude-9'.*{MODEL}"):
            mint_bench.load_episodes(checkout, "claude-9")

    def test_a_number_of_turns_that_was_not_recorded(self, source):
        with pytest.raises(UserError, match="not recorded with 3 turns"):
            mint_bench.load_episodes(source, "gpt-4-0613", 3)

    def test_a_dataset_that_is_missing_from_a_checkout(self, checkout, tmp_path):
        (tmp_path / "data" / "processed").mkdir(parents=True)
        with pytest.raises(UserError, match=r"gsm8k.test_prompts.json is missing"):
            mint_bench.load_tasks(tmp_path)

    @pytest.mark.parametrize(
        ("name", "content", "told"),
        [
            ("tasks.jsonl", b'{"dataset": \n', "line 1"),
            ("tasks.jsonl", b"[]\n", "line 1"),
            ("tasks.jsonl", b'{"dataset": "gsm8k"}\n', "task gsm8k None"),
            ("tasks.jsonl", b'{"dataset": "nope", "id": 1, "prompt": "x"}\n', "nope"),
            ("prompts.json", b"{", "the first messages"),
            ("prompts.json", b"{}", "the first messages"),
            (f"episodes/{MODEL}.jsonl.gz", b"no gzip", "jsonl.gz"),
            (
                f"episodes/{MODEL}.jsonl.gz",
                gzip.compress(b"{}" * 99, mtime=0)[:-9],
                "jsonl.gz",
            ),
            (f"episodes/{MODEL}.jsonl.gz", gzip.compress(b"{\n", mtime=0), "line 1"),
            (f"episodes/{MODEL}.jsonl.gz", gzip.compress(b"{}\n", mtime=0), MODEL),
        ],
    )
    def test_broken_data_are_named(self, source, tmp_path, name, content, told):
        rows = rows_of(source)[:1]
        (tmp_path / "episodes").mkdir()
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "tasks.jsonl").write_text(lines, encoding="utf-8")
        prompts = (source / "prompts.json").read_bytes()
        (tmp_path / "prompts.json").write_bytes(prompts)
        (tmp_path / f"episodes/{MODEL}.jsonl.gz").write_bytes(
            gzip.compress(b"", mtime=0)
        )
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError) as error:
            mint_bench.results(tmp_path, MODEL)
        assert told in str(error.value)
        assert str(tmp_path) in str(error.value)


def test_a_reply_that_was_empty_at_the_end_is_a_turn_all_the_same(source, tmp_path):
    def last_is_empty(row):
        return bool(row["turns"]) and row["turns"][-1]["act"] == "empty"

    model = "Mistral-7B-Instruct-v0.1"
    rows = [
        row
        for row in episodes_of(source, model)
        if row["arm"] == "ef" and row["dataset"] != "alfworld" and last_is_empty(row)
    ]
    assert rows
    ids = {(row["dataset"], row["id"]) for row in rows}
    datasets = {row["dataset"]: row["id"] for row in rows_of(source)}
    ids |= set(datasets.items())  # a checkout has every dataset
    write_checkout(source, tmp_path, model, lambda r: (r["dataset"], r["id"]) in ids)
    episodes = mint_bench.load_episodes(tmp_path, model)
    keys = {task.id: task.key for task in mint_bench.load_tasks(tmp_path)}
    for row in rows:
        key = keys[mint_bench.task_id(row["dataset"], row["id"])]
        turns = episodes[key, "ef"].turns
        assert len(turns) == row["n_turns"]
        assert turns[-1].label == "empty"
        assert episodes[key, "ef"].outcome == "empty"
