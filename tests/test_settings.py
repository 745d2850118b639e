from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_mint.errors import UserError
from pytest_mint.options import OPTIONS, Option
from pytest_mint.settings import Settings, did_you_mean, resolve

NAMED = {option.name: option for option in OPTIONS}

#: Three values of every option, as they are written and as they are read.
TEXTS = {
    "model": ["gpt-5", "oracle", "claude-2"],
    "base_url": ["http://a/v1", "http://b/v1", "http://c/v1"],
    "feedback_model": ["gpt-5", "claude-2", "mine"],
    "feedback_base_url": ["http://a/v1", "http://b/v1", "http://c/v1"],
    "controls": ["placebo", "swapped", "placebo,swapped"],
    "prices": ["a=1/2", "b=1/2/0.5", "c/d=0/0"],
    "compare_published": ["gpt-4", "claude-2", "mistral-7b"],
    "judge_model": ["gpt-5", "claude-2", "mine"],
    "judge_base_url": ["http://a/v1", "http://b/v1", "http://c/v1"],
    "wikipedia": ["live", "https://de.wikipedia.org/w/api.php", "offline"],
    "docker_image": ["a:1", "b:2", "c:3"],
    "gates": ["success@1>=0.1", "success@2>=0.2", "success@3>=0.3"],
    "web_allow": ["a.example.org", "b.example.org:80", "c.example.org"],
}
#: Settings that another one needs.
WITH: dict[str, dict[str, Any]] = {
    "replay_tools": {"replay": "somewhere"},
    "judge_base_url": {"judge_model": "mine"},
    "feedback_base_url": {"feedback_model": "mine"},
    "hints_from_turn": {"max_turns": 50},
}


def samples(option: Option) -> list[str]:
    if option.kind == "choice":
        return [option.choices[0], option.choices[1], option.choices[-1]]
    if option.kind in ("int", "float"):
        low = int(option.low or 0)
        return [str(low), str(low + 1), str(low + 2)]
    if option.kind in ("path", "paths"):
        return ["one", "two", "three"]
    return TEXTS[option.name]


def read(option: Option, text: str) -> Any:
    if option.kind == "int":
        return int(text)
    if option.kind == "float":
        return float(text)
    if option.kind == "path":
        return Path(text)
    if option.kind == "paths":
        return (Path(text),)
    if option.kind == "choices":
        return tuple(text.split(","))
    return (text,) if option.kind == "lines" else text


def given(option: Option, text: str) -> Any:
    """As pytest hands it over."""
    return [text] if option.repeats else text


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
class TestEveryOption:
    def settings(self, option, command=None, variable=None, ini=None):
        def of_ini(key):
            return given(option, ini) if ini and key == option.ini else None

        more = WITH.get(option.name, {})
        return getattr(
            resolve(
                {**more, option.name: command and given(option, command)},
                of_ini,
                {option.variable: variable} if variable is not None else {},
            ),
            option.name,
        )

    def test_has_a_default_that_the_table_and_the_settings_agree_on(self, option):
        assert getattr(Settings(), option.name) == option.default
        assert self.settings(option) == option.default

    def test_the_command_wins_over_the_environment_over_the_ini_file(self, option):
        first, second, third = samples(option)
        assert self.settings(option, first, second, third) == read(option, first)
        assert self.settings(option, None, second, third) == read(option, second)
        assert self.settings(option, None, None, third) == read(option, third)

    def test_an_empty_variable_is_none_at_all(self, option):
        third = samples(option)[2]
        assert self.settings(option, None, "", third) == read(option, third)

    def test_is_named_alike_everywhere(self, option):
        assert option.variable == option.ini.upper()
        word = option.flag.removeprefix("--").replace("-", "_")
        assert option.ini in (word, word + "s")
        assert option.ini == f"mint_{option.name}"

    def test_is_explained(self, option):
        assert option.help
        assert option.metavar or option.choices

    def test_survives_json(self, option):
        value = samples(option)[1]
        more = WITH.get(option.name, {})
        settings = resolve({**more, option.name: given(option, value)}, environ={})
        data = json.loads(json.dumps(settings.as_data()))[option.name]
        plain = [value] if option.kind == "choices" else given(option, value)
        assert data == (read(option, value) if option.kind in NUMBERS else plain)


NUMBERS = ("int", "float")


def test_the_table_names_every_setting_once():
    names = [field.name for field in dataclasses.fields(Settings)]
    assert [option.name for option in OPTIONS] == names
    assert len({option.flag for option in OPTIONS}) == len(OPTIONS)


def test_an_address_of_a_judge_needs_its_name():
    with pytest.raises(UserError, match="needs --mint-judge-model NAME"):
        resolve({"judge_base_url": "http://a/v1"}, environ={})


def test_an_address_of_a_teacher_needs_its_name():
    with pytest.raises(UserError, match="needs --mint-feedback-model NAME"):
        resolve({"feedback_base_url": "http://a/v1"}, environ={})


def test_a_replay_has_its_own_hints():
    with pytest.raises(UserError, match="a replay has the hints that were recorded"):
        resolve({"feedback_model": "m", "replay": "d"}, environ={})


@pytest.mark.parametrize(
    ("text", "controls"),
    [
        ("placebo", ("placebo",)),
        (" swapped , placebo,", ("placebo", "swapped")),
        (("swapped", "swapped"), ("swapped",)),
    ],
)
def test_controls_are_separated_by_commas(text, controls):
    settings = resolve({"controls": text}, environ={})
    assert settings.controls == controls
    assert settings.arms == ("ef", "nlf", *controls)


def test_an_unknown_control_is_refused_with_what_is_allowed():
    with pytest.raises(UserError, match=r"--mint-controls=placbo: .*'placebo'\?"):
        resolve({"controls": "swapped,placbo"}, environ={})


@pytest.mark.parametrize("arm", ["ef", "nlf"])
def test_controls_need_both_arms(arm):
    with pytest.raises(UserError, match=f"leave out --mint-arm={arm}"):
        resolve({"controls": "placebo", "arm": arm}, environ={})


@pytest.mark.parametrize(("turn", "turns"), [(5, 5), (2, 1), (2, 2), (7, 5)])
def test_a_first_hint_after_the_last_turn_is_refused(turn, turns):
    with pytest.raises(
        UserError, match=f"from-turn={turn} leaves none of {turns} turn"
    ):
        resolve({"hints_from_turn": turn, "max_turns": turns}, environ={})


def test_the_default_turn_of_the_first_hint_suits_short_episodes():
    assert resolve({"max_turns": 1}, environ={}).hints_from_turn == 2


@pytest.mark.parametrize(
    ("given", "serves"),
    [
        ({"model": "local"}, True),
        ({"model": "gpt-5"}, False),
        ({"model": "local", "base_url": "http://a/v1"}, False),
        ({"model": "gpt-5", "feedback_model": "local"}, True),
        ({"model": "oracle", "judge_model": "local"}, True),
        ({"model": "local", "replay": "d"}, False),
    ],
)
def test_the_session_serves_the_local_model_where_one_is_named(given, serves):
    assert resolve(given, environ={}).serves_local is serves


def test_a_variable_holds_several_paths_as_path_does():
    settings = resolve({}, environ={"MINT_TASKS": os.pathsep.join(["a", "b c"])})
    assert settings.tasks == (Path("a"), Path("b c"))


def test_a_variable_holds_several_conditions_one_a_line():
    settings = resolve({}, environ={"MINT_GATES": "success@1>=0.1\n\n hur>=0.2 \n"})
    assert settings.gates == ("success@1>=0.1", "hur>=0.2")


OF = [option for option in OPTIONS if option.kind == "choice"]


@pytest.mark.parametrize("option", OF, ids=lambda option: option.name)
def test_an_unknown_choice_is_refused_with_what_is_allowed(option):
    with pytest.raises(UserError) as error:
        resolve({option.name: option.choices[0] + "x"}, environ={})
    told = str(error.value)
    assert told.startswith(f"{option.flag}={option.choices[0]}x: expected one of ")
    assert all(choice in told for choice in option.choices)
    assert "did you mean" in told


BOUNDED = [option for option in OPTIONS if option.kind in NUMBERS]


@pytest.mark.parametrize("option", BOUNDED, ids=lambda option: option.name)
class TestNumbers:
    @pytest.mark.parametrize("text", ["many", "1,5", " ", "0x10"])
    def test_what_is_no_number_is_refused(self, option, text):
        with pytest.raises(UserError, match="expected a") as error:
            resolve({option.name: text}, environ={})
        assert str(error.value).startswith(f"{option.flag}={text}: ")

    @pytest.mark.parametrize("text", ["-1", "1e9", "1000001", "nan", "inf"])
    def test_what_is_out_of_range_is_refused(self, option, text):
        with pytest.raises(UserError) as error:
            resolve({option.name: text}, environ={})
        assert f"{option.flag}={text}" in str(error.value)

    def test_the_bounds_themselves_are_allowed(self, option):
        for bound in (option.low, option.high):
            text = f"{bound:.9g}"
            more = WITH.get(option.name, {})
            settings = resolve({**more, option.name: text}, environ={})
            assert getattr(settings, option.name) == bound


def test_a_fraction_is_no_whole_number():
    with pytest.raises(UserError, match=r"--mint-max-turns=2\.5: expected a whole"):
        resolve({"max_turns": "2.5"}, environ={})


def test_large_bounds_are_told_in_full():
    with pytest.raises(UserError, match=r"from 1 to 1000000$"):
        resolve({"max_tokens": 0}, environ={})


@pytest.mark.parametrize(
    ("command", "ini", "environ", "source"),
    [
        ({"arm": "x"}, {}, {}, "--mint-arm=x"),
        ({}, {"mint_arm": "x"}, {}, "ini key mint_arm=x"),
        ({}, {}, {"MINT_ARM": "x"}, "MINT_ARM=x"),
        ({"max_turns": "x"}, {}, {}, "--mint-max-turns=x"),
        ({}, {"mint_max_turns": "x"}, {}, "ini key mint_max_turns=x"),
        ({}, {}, {"MINT_MAX_TURNS": "x"}, "MINT_MAX_TURNS=x"),
    ],
)
def test_an_error_names_where_the_value_came_from(command, ini, environ, source):
    with pytest.raises(UserError) as error:
        resolve(command, ini.get, environ)
    assert str(error.value).startswith(f"{source}: ")


def test_live_tools_need_a_replay():
    with pytest.raises(UserError, match="--mint-replay-tools=live needs --mint-replay"):
        resolve({"replay_tools": "live"}, environ={})
    assert resolve({"replay_tools": "live", "replay": "d"}, environ={}).replay


@pytest.mark.parametrize("value", ["on", "http://x", "ftp://x/api.php"])
def test_a_wiki_is_offline_live_or_an_api(value):
    with pytest.raises(UserError, match=r"--mint-wikipedia=.*expected offline, live"):
        resolve({"wikipedia": value}, environ={})


@pytest.mark.parametrize("host", ["http://a.org", "a.org/x", "10.0.0.1", "A.org", ""])
def test_a_host_is_a_name_and_perhaps_a_port(host):
    with pytest.raises(UserError, match="expected a host name"):
        resolve({"web_allow": [host]}, environ={})


@pytest.mark.parametrize(
    ("arm", "arms", "verdict"),
    [
        ("both", ("ef", "nlf"), "ef"),
        ("ef", ("ef",), "ef"),
        ("nlf", ("nlf",), "nlf"),
    ],
)
def test_the_verdict_is_of_arm_ef_unless_only_nlf_is_played(arm, arms, verdict):
    settings = Settings(arm=arm)
    assert (settings.arms, settings.verdict_arm) == (arms, verdict)


@pytest.mark.parametrize(
    ("asked", "workers", "calls"),
    [(None, 1, 16), (None, 16, 16), (None, 20, 20), (8, 8, 8), (3, 1, 3)],
)
def test_calls_in_flight_are_of_the_whole_run(asked, workers, calls):
    assert Settings(concurrency=asked).calls(workers) == calls


@pytest.mark.parametrize(
    ("asked", "workers", "calls"), [(None, 1, 1), (None, 4, 4), (9, 1, 9)]
)
def test_the_local_model_is_asked_one_call_a_worker(asked, workers, calls):
    assert Settings(model="local", concurrency=asked).calls(workers) == calls


def test_fewer_calls_than_workers_are_refused():
    with pytest.raises(UserError, match="--mint-concurrency=2 is less than the 8 work"):
        Settings(concurrency=2).calls(8)


def test_what_is_close_is_suggested_and_nothing_else():
    assert did_you_mean("faithfull", ("strict", "faithful")) == (
        "; did you mean 'faithful'?"
    )
    assert did_you_mean("zzz", ("strict", "faithful")) == ""
