from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.errors import GraderError
from pytest_mint.graders.calls import grade_calls
from pytest_mint.graders.json_text import DuplicateKey, NotJson, read_json
from pytest_mint.graders.matching import maximum_matching
from pytest_mint.graders.python_text import read_python
from pytest_mint.graders.verdict import Proposal
from pytest_mint.graders.written_calls import calls_in
from pytest_mint.records import ToolRun
from tests.graders.kinds import calls_task, state_task

BOOK = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {
            "hotel": {"type": "string"},
            "nights": {"type": "integer"},
            "rate": {"type": "number"},
            "breakfast": {"type": "boolean", "default": False},
            "bed": {"type": "string", "enum": ["twin", "king"], "default": "twin"},
            "note": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "guest": {"$ref": "#/$defs/guest"},
            "guests": {"type": "array", "items": {"$ref": "#/$defs/guest"}},
        },
        "required": ["hotel"],
        "$defs": {
            "guest": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "age": {"type": "integer"},
                    "vip": {"type": "boolean", "default": False},
                    "friend": {"$ref": "#/$defs/guest"},
                },
                "required": ["name"],
            }
        },
    },
}
FIND = {
    "name": "find",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
}
PING = {"name": "ping", "parameters": {"type": "object", "properties": {}}}


def run(name, arguments, ok=True):
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolRun(name, written, "done", ok)


def verdict(expected, runs, text="", **fields):
    wanted = [{"name": name, "arguments": given} for name, given in expected]
    task = calls_task([BOOK, FIND, PING], wanted, **fields)
    return grade_calls(task, Proposal(text, tuple(runs)))


def one(wanted, given, **fields):
    return verdict([("book", wanted)], [run("book", given)], **fields)


@pytest.mark.parametrize(
    ("wanted", "given", "solved"),
    [
        ({"hotel": "A"}, {"hotel": "A", "breakfast": False}, True),
        ({"hotel": "A", "breakfast": False}, {"hotel": "A"}, True),
        ({"hotel": "A"}, {"hotel": "A", "breakfast": True}, False),
        ({"hotel": "A"}, {"hotel": "A", "bed": None}, True),
        ({"hotel": "A", "bed": "king"}, {"hotel": "A", "bed": "King"}, False),
        ({"hotel": "A"}, {"hotel": "A", "note": None}, True),
        ({"hotel": "A", "note": None}, {"hotel": "A"}, True),
        ({"hotel": "A"}, {"hotel": "A", "note": ""}, False),
        ({"hotel": "A"}, {"hotel": None}, False),
        ({"hotel": "A"}, {}, False),
        ({"hotel": "A"}, {"hotel": "A "}, False),
        ({"hotel": "A"}, {"hotel": "a"}, False),
        ({"hotel": "A"}, {"hotel": ["A"]}, False),
        ({"hotel": "A"}, {"hotel": "A", "extra": 1}, False),
        ({"hotel": "A", "nights": 2}, {"hotel": "A", "nights": "2"}, False),
        ({"hotel": "A", "nights": 2}, {"hotel": "A", "nights": 2.0}, True),
        ({"hotel": "A", "nights": 1}, {"hotel": "A", "nights": True}, False),
        ({"hotel": "A", "nights": 1}, {"hotel": "A", "nights": 10**399}, False),
        ({"hotel": "A", "rate": 1.5}, '{"hotel": "A", "rate": 1e399}', False),
        ({"hotel": "A", "rate": 2}, {"hotel": "A", "rate": 2.0}, True),
        ({"hotel": "A", "rate": 0.3}, {"hotel": "A", "rate": 0.1 + 0.2}, True),
        ({"hotel": "A", "rate": 0.3}, {"hotel": "A", "rate": 0.31}, False),
        ({"hotel": "A", "rate": 0.3}, '{"hotel": "A", "rate": 3e-1}', True),
        ({"hotel": "A", "rate": 0.3}, '{"hotel": "A", "rate": NaN}', False),
        ({"hotel": "A", "rate": 0.3}, '{"hotel": "A", "rate": 1e999999}', False),
        ({"hotel": "A", "nights": 2}, {"nights": 2, "hotel": "A"}, True),
        ({"hotel": "A", "tags": ["x", "y"]}, {"hotel": "A", "tags": ["y", "x"]}, False),
        ({"hotel": "A", "tags": []}, {"hotel": "A"}, False),
        ({"hotel": "A", "tags": []}, {"hotel": "A", "tags": {}}, False),
        (
            {"hotel": "A", "guest": {"name": "B"}},
            {"hotel": "A", "guest": {"name": "B", "vip": False, "age": None}},
            True,
        ),
        (
            {"hotel": "A", "guest": {"name": "B", "friend": {"name": "C"}}},
            {
                "hotel": "A",
                "guest": {"name": "B", "friend": {"name": "C", "vip": False}},
            },
            True,
        ),
        (
            {"hotel": "A", "guests": [{"name": "B"}]},
            {"hotel": "A", "guests": [{"name": "B", "vip": True}]},
            False,
        ),
        ({"hotel": {"any_of": ["A", "B"]}}, {"hotel": "B"}, True),
        ({"hotel": {"any_of": ["A", "B"]}}, {"hotel": "C"}, False),
        ({"hotel": "A", "note": {"any_of": ["hi", None]}}, {"hotel": "A"}, True),
        (
            {"hotel": "A", "note": {"any_of": ["hi", None]}},
            {"hotel": "A", "note": "hi"},
            True,
        ),
        ({"hotel": "A", "note": {"any_of": ["hi", "ho"]}}, {"hotel": "A"}, False),
        (
            {"hotel": "A", "tags": [{"any_of": ["x", "y"]}]},
            {"hotel": "A", "tags": ["y"]},
            True,
        ),
        ({"hotel": "A", "bed": {"any_of": ["king", None]}}, {"hotel": "A"}, True),
        (
            {"hotel": "A", "bed": {"any_of": ["king", None]}},
            {"hotel": "A", "bed": "twin"},
            True,
        ),
        ({"hotel": "A", "bed": {"any_of": ["king"]}}, {"hotel": "A"}, False),
        ({"hotel": "A"}, '{"hotel": "A", "hotel": "A"}', False),
        ({"hotel": "A"}, '{"hotel": "B", "hotel": "A"}', False),
        ({"hotel": "A"}, '"{\\"hotel\\": \\"A\\"}"', True),
        ({"hotel": "A"}, "[]", False),
        ({"hotel": "A"}, "null", False),
        ({"hotel": "A"}, '{"hotel": "A"', False),
        ({"hotel": "A"}, '{"hotel": "A"} {"hotel": "A"}', False),
        ({"hotel": "A"}, "{" * 50_000, False),
        ({"hotel": "Orléans"}, {"hotel": "Orle\u0301ans"}, True),
        (
            {"hotel": "A", "nights": 2**63 + 1},
            {"hotel": "A", "nights": 2**63 + 1},
            True,
        ),
        ({"hotel": "A", "nights": 2**63 + 1}, {"hotel": "A", "nights": 2**63}, False),
    ],
)
def test_arguments_are_compared_by_type_and_schema(wanted, given, solved):
    assert one(wanted, given).solved is solved


@pytest.mark.parametrize(
    ("written", "format_ok"),
    [
        ('{"hotel": "A"}', True),
        ("{'hotel': 'A'}", False),
        ('{"hotel": "A",}', False),
        ("{'hotel': 'A', 'breakfast': False, 'note': None}", False),
        ("{'hotel': 'A', 'breakfast': false, 'note': null}", False),
    ],
)
def test_loose_syntax_is_read_and_marked(written, format_ok):
    found = one({"hotel": "A"}, written)
    assert found.solved
    assert found.details["format_ok"] is format_ok


A, B = ("book", {"hotel": "A"}), ("book", {"hotel": "B"})
BUT_ANY = ("book", {"hotel": {"any_of": ["A", "B"]}})


@pytest.mark.parametrize(
    ("expected", "made", "fields", "solved"),
    [
        ([A, B], [B, A], {}, True),
        ([A, B], [A, A], {}, False),
        ([A, A], [A, A], {}, True),
        ([A, A], [A], {}, False),
        ([A], [A, A], {}, False),
        ([BUT_ANY, A], [A, B], {}, True),  # greedy would give A away
        ([A, BUT_ANY], [B, A], {}, True),
        ([BUT_ANY, BUT_ANY], [B, A], {}, True),
        ([BUT_ANY, A], [B, B], {}, False),
        ([A, B], [B, A], {"grader": {"ordered": True}}, False),
        ([A, B], [A, B], {"grader": {"ordered": True}}, True),
        ([BUT_ANY, B], [A, B], {"grader": {"ordered": True}}, True),
        ([A], [A, ("find", {"q": "x"})], {}, False),
        ([A], [("find", {"q": "x"}), A], {"free": ["find"]}, True),
        ([A], [("find", {"q": "x"}), A], {"grader": {"allow_extra": ["find"]}}, True),
        ([A], [("ping", {}), A], {"free": ["find"]}, False),
        ([("find", {"q": "x"}), A], [A], {"free": ["find"]}, False),
        ([("find", {"q": "x"})], [("find", {"q": "x"})] * 3, {"free": ["find"]}, True),
        (
            [A, ("find", {"q": "x"})],
            [("find", {"q": "y"}), A, ("ping", {}), ("find", {"q": "x"})],
            {"grader": {"ordered": True, "allow_extra": ["ping"]}, "free": ["find"]},
            True,
        ),
        (
            [A, ("find", {"q": "x"})],
            [("find", {"q": "x"}), A],
            {"grader": {"ordered": True}, "free": ["find"]},
            False,
        ),
        ([("ping", {})], [("ping", "")], {}, True),
        ([], [A], {}, False),
        ([A], [], {}, False),
    ],
)
def test_calls_are_matched_one_to_one(expected, made, fields, solved):
    runs = [run(name, arguments) for name, arguments in made]
    found = verdict(expected, runs, text="Booked.", **fields)
    assert found.solved is solved
    assert (found.score == 1) is solved or fields.get("grader", {}).get("ordered")


def test_call_answered_with_an_error_does_not_count():
    wrong, right = run("book", {"hotel": "B"}, ok=False), run("book", {"hotel": "A"})
    assert verdict([A], [wrong, right]).solved
    assert not verdict([A], [run("book", {"hotel": "A"}, ok=False)]).solved


def test_general_tools_do_not_count():
    runs = [run("calculator", {"expression": "1+1"}), run("book", {"hotel": "A"})]
    assert verdict([A], runs).solved


def test_another_list_of_calls_that_the_task_accepts_is_right():
    accept = [{"answer": [{"name": "ping", "arguments": {}}], "why": "as good"}]
    assert verdict([A], [run("ping", {})], accept=accept).solved
    assert not verdict(
        [A], [run("ping", {}), run("book", {"hotel": "A"})], accept=accept
    ).solved


@pytest.mark.parametrize(
    ("path", "given", "solved"),
    [
        ("tags", {"tags": ["y", "x", "x"]}, True),
        ("tags", {"tags": ["y", "y", "x"]}, False),
        ("guests.name", {"tags": ["y", "x", "x"]}, False),
    ],
)
def test_list_declared_unordered_still_counts_copies(path, given, solved):
    wanted = {"hotel": "A", "tags": ["x", "y", "x"]}
    found = one(wanted, {"hotel": "A", **given}, grader={"unordered": [path]})
    assert found.solved is solved


@pytest.mark.parametrize(
    ("text", "solved"),
    [
        ("There is no room with a sea view.", True),
        ("Sea view: NO ROOM left, sorry.", True),
        ("Done.", False),
        ("", False),
        ("<think>no room</think>", False),
        ('{"name": "ping", "arguments": {}} no room', False),
        ("I could ping() but there is no room.", True),
    ],
)
def test_where_no_call_is_right_the_reply_has_to_say_so(text, solved):
    assert verdict([], [], text, must_include=["no room"]).solved is solved


def test_silence_is_not_right_where_no_call_is():
    assert not verdict([], [], "  ").solved
    assert verdict([], [], "No need to.").solved


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"name": "f", "arguments": {}}', ["f"]),
        ('{"tool": "f", "args": {"a": 1}}', ["f"]),
        ('{"name": "f", "parameters": {"a": 1}}', ["f"]),
        ('{"function": "f", "arguments": {}}', ["f"]),
        ('{"function_call": {"name": "f", "arguments": "{}"}}', ["f"]),
        ('{"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}', ["f"]),
        (
            '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]',
            ["f", "g"],
        ),
        ('{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}', ["f", "g"]),
        ('<tool_call>{"name": "f", "arguments": {}}</tool_call> and so on', ["f"]),
        ('<tool_call>{"name": "f", "arguments": {}}', ["f"]),
        ("```\nf(a=1)\n```", ["f"]),
        ("```python\nf(a=1)\ng(b='x')\n```\nThat is all.", ["f", "g"]),
        ("[f(a=1), g()]", ["f", "g"]),
        ("`f(a=1)`", ["f"]),
        ("I call f(a=1) now.", []),
        ("f", []),
        ("f(1)", []),
        ('{"name": "Ann", "age": 3}', []),
        ('{"name": 3, "arguments": {}}', []),
        ('See {"x": 1} and then {"name": "f", "arguments": {}}.', ["f"]),
        ('[note: {"name": "f", "arguments": {}}]', ["f"]),
        ("He said {'name': 'f', 'arguments': {'s': 'it'}} yes", ["f"]),
        ('{"name": "f", "arguments": {"s": "}]\\"{"}}', ["f"]),
        ('{"name": "f", "arguments": {"a": 1, "a": 2}}', ["f"]),
        ('{"a": 1, "a": 2}', []),
        ("[" * 100_000, []),
        ('{"' * 50_000, []),
        ('{"name": "f", "argum', []),
    ],
)
def test_calls_in_a_text_are_found_in_the_usual_shapes(text, names):
    assert [call.name for call in calls_in(text)] == names


def test_text_call_counts_only_where_there_are_no_native_ones():
    text = '{"name": "book", "arguments": {"hotel": "A"}}'
    assert verdict([A], [], text).solved
    assert not verdict([A], [run("ping", {})], text, free=["ping"]).solved
    assert verdict([A], [run("calculator", {"expression": "1"})], text).solved


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            [run("book", {"hotel": "B"})],
            "call 1, book, has unexpected arguments: hotel",
        ),
        ([run("book", {})], "call 1, book, lacks an argument"),
        ([run("nope", {})], "call 1: there is no function nope; a call is missing"),
        (
            [run("ping", {}), run("book", {"hotel": "A"})],
            "call 1, ping, was not expected",
        ),
        ([], "a call is missing"),
        (
            [run("book", "{]")],
            "call 1, book, cannot be read: Expecting property name enclosed in double "
            "quotes at character 1; a call is missing",
        ),
    ],
)
def test_reason_names_the_call_or_argument_and_no_value(made, reason):
    assert verdict([A], made, text="Done.").reason == reason


@pytest.mark.parametrize(
    "broken",
    [
        "book",
        [{"name": "fly", "arguments": {}}],
        [{"arguments": {}}],
        [{"name": "book", "arguments": []}],
        [{"name": "book", "arguments": {"hotel": {"any_of": "A"}}}],
        [{"name": "book", "arguments": {"hotel": {"any_of": []}}}],
    ],
)
def test_task_whose_calls_are_no_calls_is_broken(broken):
    with pytest.raises(GraderError):
        grade_calls(calls_task([BOOK], broken), Proposal("Done."))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "NaN",
        "[Infinity]",
        "{'a': 1}",
        "[1,]",
        "1e500",
        "1" * 401,
        "[1e99999999999999999999]",
        "[" * 40,
        '{"a": 1, "a": 1}',
        '{"a": {"b": 1, "b": 2}}',
        "[1] [2]",
    ],
)
def test_what_is_no_json_within_bounds_is_refused(text):
    with pytest.raises(NotJson):
        read_json(text)


def test_json_keeps_every_digit():
    value = read_json('{"id": 9007199254740993, "x": 0.10000000000000000000001}')
    assert value == {"id": 9007199254740993, "x": Decimal("0.10000000000000000000001")}


def test_key_that_stands_twice_is_named():
    with pytest.raises(DuplicateKey, match="'a' stands twice"):
        read_json('{"a": 1, "a": 1}')


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "f(1)",
        "f(x=y)",
        "f(**{})",
        "f()()",
        "[x for x in y]",
        "lambda: 1",
        "lambda:" * 1000 + "1",
        "1 + 1",
        "1 -1",
        "--1",
        "not x",
        "f'{x}'",
        "b'x'",
        "'\\d'",
        "'a' 'b'",
        "1j",
        "1e999",
        "{1, 2}",
        "{1: 2}",
        "{**a}",
        "a.b",
        "a[0]",
        "a" + ".b" * 4000,
        "(" * 100 + ")" * 100,
        "-" * 8000 + "1",
        "[" + "1," * 9000 + "]",
        "'" + "\\" * 8001,
        "f(a=1, a=2)",
        "x = 1",
        "\0",
        "f(a=1",
        "{'a'",
        "[1)",
        "",
    ],
)
def test_python_beyond_literals_and_calls_is_refused(text):
    with pytest.raises(NotJson):
        read_python(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': [1, -2.5, True, null,],}", {"a": [1, -2.5, True, None]}),
        ("('x', \"it's\")", ["x", "it's"]),
        ("'\\u00e9\\n'", "é\n"),
        ("1e3", 1000),
    ],
)
def test_python_literal_is_read(text, value):
    assert read_python(text) == value


def test_more_calls_than_anyone_needs_are_wrong_and_not_compared():
    found = verdict([A], [run("ping", {})] * 5000, free=["ping"])
    assert found.reason == "more than 200 calls"


def test_arguments_in_a_text_call_that_cannot_be_read_are_wrong():
    found = verdict([A], [], '{"name": "book", "arguments": "{hotel"}')
    assert "cannot be read" in found.reason


def test_default_or_type_behind_a_reference_that_leads_nowhere_is_none():
    loop = {"$ref": "#/$defs/a"}
    schema = {
        "type": "object",
        "properties": {"x": loop, "y": {"$ref": "#/$defs/no"}},
        "$defs": {"a": loop},
    }
    wanted = [{"name": "f", "arguments": {"x": {"k": 1}, "y": [2]}}]
    task = calls_task([{"name": "f", "parameters": schema}], wanted)
    made = (run("f", {"x": {"k": 1}, "y": [2]}),)
    assert grade_calls(task, Proposal("", made)).solved


def test_arguments_nested_to_the_limit_of_json_are_compared():
    nested: object = "end"
    for _ in range(30):
        nested = {"friend": nested, "name": "B"}
    wanted = {"hotel": "A", "guest": nested}
    assert one(wanted, wanted).solved


def test_task_of_another_kind_is_refused():
    with pytest.raises(GraderError, match="not graded by its calls"):
        grade_calls(state_task({"x": 1}), Proposal("Done."))


@given(st.lists(st.lists(st.integers(0, 5), max_size=4, unique=True), max_size=6))
def test_matching_is_as_large_as_can_be(fits):
    def largest(left, taken):
        if left == len(fits):
            return 0
        rest = largest(left + 1, taken)
        return max(
            [rest]
            + [1 + largest(left + 1, taken | {r}) for r in fits[left] if r not in taken]
        )

    found = maximum_matching(fits)
    assert len(found) == largest(0, frozenset())
    assert len(set(found.values())) == len(found)
    assert all(right in fits[left] for left, right in found.items())


ARGUMENTS = st.fixed_dictionaries(
    {"hotel": st.text(max_size=4)},
    optional={
        "nights": st.integers(),
        "rate": st.floats(-1e9, 1e9),
        "breakfast": st.booleans(),
        "tags": st.lists(st.text(max_size=3), max_size=3),
    },
)
SOME_CALLS = st.lists(ARGUMENTS, max_size=4)


@given(SOME_CALLS)
def test_reference_calls_are_right(calls):
    expected = [("book", given) for given in calls]
    assert verdict(expected, [run(*call) for call in expected], "Done.").solved


@given(SOME_CALLS, SOME_CALLS, st.randoms())
def test_order_of_parallel_calls_never_counts(wanted, made, random):
    expected, runs = [("book", w) for w in wanted], [run("book", m) for m in made]
    shuffled, mixed = list(runs), list(expected)
    random.shuffle(shuffled)
    random.shuffle(mixed)
    first, second = verdict(expected, runs, "x"), verdict(mixed, shuffled, "x")
    assert (first.solved, first.score) == (second.solved, second.score)


MARKS = st.sampled_from([*"{}[]()\"'\\:,=`-. \n1", "name", "arguments", "book"])


@settings(max_examples=200)
@given(
    st.lists(MARKS, max_size=60).map("".join) | st.text(max_size=100),
    st.integers(1, 500),
)
def test_any_text_gets_a_verdict(text, times):
    text = (text * times)[:100_000]
    assert not verdict([A], [], text).solved or "A" in text
    assert not verdict([A], [ToolRun("book", text, "")], "").solved or "A" in text
