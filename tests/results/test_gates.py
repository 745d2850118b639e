from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.errors import UserError
from pytest_mint.results.gates import decide, gate_size, noise, parse_gate
from pytest_mint.results.intervals import wilson
from pytest_mint.results.plan import Results
from pytest_mint.words import CATEGORIES, MISSING
from tests.results.build import result, results_of, sample


@pytest.mark.parametrize(
    ("text", "category", "arm", "rate", "k", "comparison", "threshold"),
    [
        ("success@3>=0.6", "", "", "success", 3, ">=", "3/5"),
        ("success@1>0", "", "", "success", 1, ">", "0"),
        ("success@5<=1", "", "", "success", 5, "<=", "1"),
        ("ef:success@2<0.25", "", "ef", "success", 2, "<", "1/4"),
        ("nlf:success@5>=68.5%", "", "nlf", "success", 5, ">=", "137/200"),
        ("coding:success@4>=.7", "coding", "", "success", 4, ">=", "7/10"),
        ("tool_use:nlf:success@4>=60%", "tool_use", "nlf", "success", 4, ">=", "3/5"),
        ("hur>=0.2", "", "", "hur", 0, ">=", "1/5"),
        ("reasoning:hur>=100%", "reasoning", "", "hur", 0, ">=", "1"),
        ("coverage>=0.99", "", "", "coverage", 0, ">=", "99/100"),
        ("science:coverage>=1.", "science", "", "coverage", 0, ">=", "1"),
        (" coding : nlf:success@3 >= 60 %", "coding", "nlf", "success", 3, ">=", "3/5"),
    ],
)
def test_a_gate_is_read(text, category, arm, rate, k, comparison, threshold):
    gate = parse_gate(text)
    assert gate.text == text.strip()
    assert (gate.category, gate.arm, gate.rate, gate.k) == (category, arm, rate, k)
    assert (gate.comparison, gate.threshold) == (comparison, Fraction(threshold))


RATES = "expected success@1 to success@5, hur or coverage"
NUMBER = "expected a number from 0 to 1, or from 0% to 100%"
SIGNS = "expected one of >=, >, <=, <"
ORDER = "is one prefix too many or in the wrong place; expected [category:][ef:|nlf:]"
PREFIX = f"expected an arm (ef, nlf) or a category ({', '.join(CATEGORIES)})"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", [f"gate '': no comparison; {SIGNS}"]),
        ("success@3", ["no comparison", SIGNS]),
        ("success@3 0.6", ["no comparison", SIGNS]),
        ("success@3=0.6", ["unknown comparison '='", SIGNS, "did you mean '>='?"]),
        ("success@3==0.6", ["unknown comparison '=='", "did you mean '>='?"]),
        ("success@3=>0.6", ["unknown comparison '=>'", "did you mean '>='?"]),
        ("success@3=<0.6", ["unknown comparison '=<'", "did you mean '<='?"]),
        ("success@3≥0.6", ["unknown comparison '≥'", "did you mean '>='?"]),
        ("success@3!=0.6", ["unknown comparison '!='", SIGNS]),
        ("success@3>=0.6>=0.5", ["'0.6>=0.5' is no threshold", NUMBER]),
        ("success@3>=", ["'' is no threshold", NUMBER]),
        ("success@3>=many", ["'many' is no threshold", NUMBER]),
        ("success@3>=nan", ["'nan' is no threshold", NUMBER]),
        ("success@3>=1e-1", ["'1e-1' is no threshold", NUMBER]),
        ("success@3>=-0.1", ["'-0.1' is no threshold", NUMBER]),
        ("success@3>=0,6", ["'0,6' is no threshold", NUMBER]),
        ("success@3>=٠.٦", ["is no threshold", NUMBER]),
        ("success@3>=60", ["'60' is above 1", NUMBER, "did you mean '60%'?"]),
        ("success@3>=101%", ["'101%' is above 1", NUMBER]),
        ("success@3>=600", ["'600' is above 1", NUMBER]),
        (">=0.6", ["unknown rate ''", RATES]),
        ("coding:>=0.6", ["unknown rate ''", RATES]),
        ("success@0>=0.6", ["k is 0, an episode has turns 1 to 5", RATES]),
        ("success@6>=0.6", ["k is 6, an episode has turns 1 to 5", RATES]),
        ("succes@3>=0.6", ["unknown rate 'succes@3'", "did you mean 'success@3'?"]),
        ("success@k>=0.6", ["unknown rate 'success@k'", RATES]),
        ("HUR>=0.6", ["unknown rate 'HUR'", "did you mean 'hur'?"]),
        ("covrage>=0.6", ["unknown rate 'covrage'", "did you mean 'coverage'?"]),
        (
            "codng:hur>=0.6",
            ["unknown prefix 'codng'", PREFIX, "did you mean 'coding'?"],
        ),
        ("nfl:success@3>=0.6", ["unknown prefix 'nfl'", "did you mean 'nlf'?"]),
        (":success@3>=0.6", ["unknown prefix ''", PREFIX]),
        ("nlf:coding:success@3>=0.6", [f"'coding' {ORDER}"]),
        ("nlf:nlf:success@3>=0.6", [f"'nlf' {ORDER}"]),
        ("coding:science:hur>=0.6", [f"'science' {ORDER}"]),
        ("nlf:hur>=0.6", ["hur has no arm, it is over both", "did you mean 'hur'?"]),
        ("coding:ef:coverage>=0.6", ["coverage has no arm", "mean 'coding:coverage'?"]),
    ],
)
def test_a_wrong_gate_says_what_is_wrong_and_what_is_allowed(text, says):
    with pytest.raises(UserError) as raised:
        parse_gate(text)
    assert str(raised.value).startswith(f"gate {text!r}: ")
    for part in says:
        assert part in str(raised.value)


# The sample: ef 6 of 12 solved and 2 missing, with hints 9 of 11 and 2 missing, HUR 4
# of 5 with one task of each: nlf missing, ef missing, both missing; 11 of 14 covered.
@pytest.mark.parametrize(
    ("text", "state", "value", "worst", "best"),
    [
        ("success@5>=0.42", "PASS", 6 / 12, 6 / 14, 8 / 14),
        ("success@5>=0.5", "INCONCLUSIVE", 6 / 12, 6 / 14, 8 / 14),
        ("success@5>=0.58", "FAIL", 6 / 12, 6 / 14, 8 / 14),
        ("success@5<=0.58", "PASS", 6 / 12, 6 / 14, 8 / 14),
        ("success@5<=0.5", "INCONCLUSIVE", 6 / 12, 6 / 14, 8 / 14),
        ("success@5<0.42", "FAIL", 6 / 12, 6 / 14, 8 / 14),
        ("reasoning:success@5>=60%", "PASS", 0.6, 0.6, 0.6),
        ("reasoning:success@5>60%", "FAIL", 0.6, 0.6, 0.6),
        ("nlf:success@5>0.69", "PASS", 9 / 11, 9 / 13, 11 / 13),
        ("coding:nlf:success@1<0.5", "PASS", 1 / 5, 1 / 6, 2 / 6),
        ("hur>=0.57", "PASS", 4 / 5, 4 / 7, 7 / 8),
        ("hur>=0.58", "INCONCLUSIVE", 4 / 5, 4 / 7, 7 / 8),
        ("hur>0.875", "FAIL", 4 / 5, 4 / 7, 7 / 8),
        ("reasoning:hur>=0.5", "PASS", 1 / 2, 1 / 2, 1 / 2),
        ("coverage>=0.78", "PASS", 11 / 14, 11 / 14, 11 / 14),
        ("coverage>=0.79", "FAIL", 11 / 14, 11 / 14, 11 / 14),
        ("reasoning:coverage>=1", "PASS", 1, 1, 1),
    ],
)
def test_a_gate_holds_only_if_missing_data_cannot_turn_it(
    text, state, value, worst, best
):
    found = decide(parse_gate(text), sample())
    assert found.state == state
    assert (found.value, found.worst, found.best) == (value, worst, best)
    assert bool(found.why) == (state == "INCONCLUSIVE")


def test_what_could_turn_a_gate_is_counted():
    assert decide(parse_gate("success@5>=0.5"), sample()).why == (
        "2 tasks without a result could turn it"
    )


ONLY_EF = results_of([result("coding/a", {"ef": 1})])
ONLY_NLF = results_of([result("coding/a", {"nlf": 1})], verdict_arm="nlf")
ALL_SOLVED = results_of([result("coding/a", {"ef": 1, "nlf": 1})])
NONE_GRADED = results_of([], {"coding/a": ("ef", "nlf")})


@pytest.mark.parametrize(
    ("text", "results", "why"),
    [
        ("success@1>=0", NONE_GRADED, "nothing was graded"),
        ("hur>=0", NONE_GRADED, "nothing was graded"),
        ("hur>=0", ALL_SOLVED, "no task failed without hints"),
        ("hur>=0", ONLY_EF, "hur needs both arms, and no task has both"),
        (
            "coding:hur>=0",
            ONLY_EF,
            "hur needs both arms, and no task of coding has both",
        ),
        ("nlf:success@1>=0", ONLY_EF, "arm nlf was not played"),
        ("coding:nlf:success@1>=0", ONLY_EF, "arm nlf was not played of coding"),
        ("ef:success@1>=0", ONLY_NLF, "arm ef was not played"),
        ("science:success@1>=0", ONLY_EF, "no task of science is scheduled"),
        ("science:coverage>=0", ONLY_EF, "no task of science is scheduled"),
        ("success@1>=0", results_of([]), "no task is scheduled"),
        ("coverage>=0", results_of([]), "no task is scheduled"),
    ],
)
def test_a_gate_without_data_is_inconclusive(text, results, why):
    found = decide(parse_gate(text), results)
    assert (found.state, found.value, found.why) == ("INCONCLUSIVE", None, why)


def test_nothing_covered_is_no_coverage():
    found = decide(parse_gate("coverage>=0.5"), NONE_GRADED)
    assert (found.state, found.value) == ("FAIL", 0)


def test_a_gate_without_prefix_speaks_of_the_verdict_arm():
    assert decide(parse_gate("success@1>=1"), ONLY_NLF).state == "PASS"
    both = [result("coding/a", {"ef": "unsolved", "nlf": 3})]
    assert decide(parse_gate("success@5>=1"), results_of(both)).state == "FAIL"
    nlf = results_of(both, verdict_arm="nlf")
    assert decide(parse_gate("success@5>=1"), nlf).state == "PASS"


def test_a_threshold_is_what_was_written_not_the_nearest_binary_number():
    played = [result(f"coding/t{n}", {"ef": 1 if n < 7 else 6}) for n in range(25)]
    assert decide(parse_gate("success@1>=28%"), results_of(played)).state == "PASS"
    assert decide(parse_gate("success@1<=0.28"), results_of(played)).state == "PASS"


ENDS = st.sampled_from([1, 3, 5, "unsolved", *MISSING[:2]])
TASKS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"ef": ENDS, "nlf": ENDS}),
        st.fixed_dictionaries({"ef": ENDS}),
    ),
    min_size=1,
    max_size=6,
)
GATES = st.builds(
    lambda rate, sign, threshold: parse_gate(f"{rate}{sign}{threshold}%"),
    st.sampled_from(["success@1", "success@3", "nlf:success@5", "hur"]),
    st.sampled_from([">=", ">", "<=", "<"]),
    st.integers(0, 100),
)


def resolutions(ends):
    """Every way in which the missing arms could have ended."""
    options = [
        [1, 5, "unsolved"] if end in MISSING else [end]
        for arms in ends
        for end in arms.values()
    ]
    for chosen in itertools.product(*options):
        rest = iter(chosen)
        yield [{arm: next(rest) for arm in arms} for arms in ends]


def played(ends) -> Results:
    return results_of([result(f"coding/t{n}", arms) for n, arms in enumerate(ends)])


def few_missing(ends):
    return sum(end in MISSING for arms in ends for end in arms.values()) <= 4


@given(TASKS.filter(few_missing), GATES)
@settings(max_examples=300, deadline=None)
def test_no_way_to_resolve_missing_data_flips_a_decision(ends, gate):
    found = decide(gate, played(ends))
    later = [decide(gate, played(chosen)) for chosen in resolutions(ends)]
    if found.state != "INCONCLUSIVE":
        assert {one.state for one in later} == {found.state}
    if found.value is not None:
        assert found.worst <= found.value <= found.best
        values = [one.value for one in later]
        assert min(values) == found.worst
        assert max(values) == found.best
        if found.state == "INCONCLUSIVE":
            assert {"PASS", "FAIL"} <= {one.state for one in later}


R, F, M = 1, "unsolved", "provider_error"  # solved, failed, missing
GRADED = [(F, R), (F, R), (F, F), (R, R), (R, F)]  # two of three rescued


@pytest.mark.parametrize(
    ("missing", "worst", "best", "turned_by"),
    [
        ([], 2 / 3, 2 / 3, ""),
        ([(R, M)], 2 / 3, 2 / 3, ""),
        ([(F, M)], 2 / 4, 3 / 4, "1 task"),
        ([(M, R)], 2 / 3, 3 / 4, "1 task"),
        ([(M, F)], 2 / 4, 2 / 3, "1 task"),
        ([(M, M)], 2 / 4, 3 / 4, "1 task"),
        ([(F, M), (M, R), (M, F), (M, M), (R, M)], 2 / 6, 5 / 6, "4 tasks"),
    ],
)
def test_hur_ends_when_an_arm_is_missing(missing, worst, best, turned_by):
    ends = [{"ef": ef, "nlf": nlf} for ef, nlf in [*GRADED, *missing]]
    found = decide(parse_gate("hur>=66%"), played(ends))
    assert (found.value, found.worst, found.best) == (2 / 3, worst, best)
    # Only where the worst end differs can this gate be turned.
    could = f"{turned_by} without a result could turn it" if worst < 0.66 else ""
    assert found.why == could


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("success@3>=0.5", 14),
        ("ef:success@3>=0.5", 14),
        ("nlf:success@3>=0.5", 13),
        ("science:nlf:success@3>=0.5", 2),
        ("coding:hur>=0.5", 6),
        ("coverage>=0.5", 14),
        ("tool_use:coverage>=0.5", 0),
    ],
)
def test_the_size_of_a_gate_is_known_before_anything_is_played(text, size):
    assert gate_size(parse_gate(text), sample().plan) == size


def test_noise_is_half_the_interval_around_the_threshold():
    low, high = wilson(300, 500)
    gate = parse_gate("success@3>=0.6")
    assert noise(gate, 500) == pytest.approx((high - low) / 2)
    assert round(100 * noise(gate, 598), 1) == 3.9
    assert noise(gate, 0) is None
    assert noise(parse_gate("hur>=0.6"), 500) is None
    assert noise(parse_gate("coverage>=0.6"), 500) is None
