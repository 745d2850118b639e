"""Hints that give the answer away in one disguise or another, and innocent ones.

``PLANTED`` and ``INNOCENT`` were at hand while the guard was written. ``HELD_OUT`` and
``HELD_OUT_INNOCENT`` were written when it was done, and nothing was changed for them.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from pytest_mint.tasks.model import Task
from tests.bundled import TASKS
from tests.episode.scripted import HINTS

BUNDLED = {task.id: task for task in TASKS}


@dataclass(frozen=True)
class Planted:
    """A hint, and what is hidden in it; ``missed`` where it is known not to be found.

    Of an innocent hint ``name`` says what could be taken for a leak, and ``missed``
    that it is.
    """

    name: str
    task: Task
    text: str
    missed: bool = False


def _task(question: str, expected: Any, kind: str, **grader: Any) -> Task:
    return Task.model_validate(
        {
            "id": "planted",
            "category": "reasoning",
            "input": question,
            "expected_output": expected,
            "grader": {"kind": kind, **grader},
            "hints": HINTS,
        }
    )


def _bundled(id: str) -> Task:
    return BUNDLED[id]


BUS = _task(
    "A night bus stops 8 times. From each stop to the next it needs 13 minutes, from "
    "the depot to the first one 9 minutes, and at the last one it waits 20 minutes. "
    "How many minutes have passed when it leaves the last stop? Answer in minutes.",
    120,
    "number",
    unit="min",
)
MARBLES = _task(
    "A bag holds 5 red, 3 blue and 8 white marbles. One of the coloured marbles is "
    "drawn blindly. What is the chance that it is blue?",
    "0.375",
    "number",
    tolerance="0.001",
)
DROPS = _task(
    "Which of these falls fastest in still air? Options: A) a drop of drizzle , B) a "
    "hailstone , C) a snowflake , D) a speck of ash",
    "b",
    "option",
)
LENSES = _task(
    "An object stands 30 cm before a lens of 20 cm focal length. How far behind the "
    "lens is its image? Options: A) 12 cm , B) 25 cm , C) 60 cm , D) 50 cm",
    "c",
    "option",
)
ASTRONOMER = _task(
    "Who was the first to measure the distance of a star by its parallax? Give the "
    "full name.",
    "Friedrich Bessel",
    "short",
)
RIVER = _task(
    "Which is longer, the Oder or the Loire? Give its name.", "Loire", "short"
)
FOUNDED = _task(
    "In which year was the observatory on the hill, closed in 1951, founded?",
    "1887",
    "short",
)
DIVISORS = _task(
    "Give the numbers from 40 to 60 that have exactly ten divisors or are squares.",
    [48, 49],
    "list",
)
PRIME_GAPS = _task(
    "Give the first four primes p above 20 for which p + 2 is no prime.",
    [23, 31, 37, 43],
    "list",
)
GRAPH = _task(
    "Every graph with at least three vertices, all of degree at least half their "
    "number, has a Hamiltonian cycle. True or false?",
    True,
    "boolean",
)
SERIES = _task(
    "Is it so that a series whose terms tend to zero always converges?",
    False,
    "boolean",
)

ROTAS = _bundled("rotas-that-meet")
STONES = _bundled("one-left-or-two-right")
COCOA = _bundled("cocoa-weighed-twice")
POT = _bundled("pot-on-the-altiplano")
LAKE = _bundled("lead-210-in-a-lake-bed")
SAILING = _bundled("repair-the-sailing-window")
TRAM = _bundled("tram-card-fares")
CONCERT = _bundled("concert-with-retuning")
FERRY = _bundled("what-ended-the-steam-ferry")
TRADE = _bundled("first-trade-of-the-tensioner-engineer")
MACHINE = _bundled("machine-by-the-ferry-yard")
TABLE = _bundled("table-in-the-garden")
CABIN = _bundled("settle-the-cabin-and-the-taxi")
REFUND = _bundled("refund-after-the-last-day")
PARCELS = _bundled("all-likoni-parcels-with-two-vans")
ROTA_OF_WARD = _bundled("linnea-is-ill-from-wednesday")
HARMATTAN = _bundled("nine-lines-of-harmattan")
LETTER = _bundled("letter-from-the-night-ferry")
UMBRELLA = _bundled("lost-umbrella-as-json")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


PLANTED = (
    Planted("digits", ROTAS, "List the dates first; 18 of them should be left."),
    Planted("words", ROTAS, "You will find eighteen days on which both are free."),
    Planted(
        "words of another language",
        BUS,
        "Add up the parts, and mind the first one. Einhundertzwanzig, as they say.",
    ),
    Planted("another unit", BUS, "The whole trip takes the bus exactly 2 h."),
    Planted("a fraction", MARBLES, "Leave out the white ones, and you are at 3/8."),
    Planted("a percentage", MARBLES, "Only eight count, so you want 37.5 % here."),
    Planted(
        "scientific notation", COCOA, "You should come close to 2.31604 × 10^3 kg."
    ),
    Planted("a Roman numeral", BUS, "Think of a clock face that goes up to CXX."),
    Planted("digits spaced out", BUS, "Write the digits down side by side: 1 2 0."),
    Planted(
        "digits one by one",
        STONES,
        "The first digit of her sum is a three and the second one is a seven.",
    ),
    Planted(
        "base64", BUS, f"If you are stuck, decode {_base64('it is 120')} and go on."
    ),
    Planted("hexadecimal", BUS, "Compare your sum with 0x78 before you hand it in."),
    Planted("rot13", ROTAS, "Fold your thoughts by rot13: rvtugrra qnlf."),
    Planted(
        "written backwards", ROTAS, "Read this from its end: syad neethgie era ereht"
    ),
    Planted(
        "a comment in code",
        BUS,
        "Sum the parts in a loop:\n\n```python\ntotal = 9\nfor way in ways:\n"
        "    total += way  # ends at 120\n```",
    ),
    Planted("a product", BUS, "See whether your sum is as much as 5 * 24."),
    Planted("a product in words", BUS, "It takes as long as five times twenty-four."),
    Planted("a power", BUS, "The sum happens to be 2^3*15, which is easy to check."),
    Planted("LaTeX", ROTAS, r"Look how close $\frac{36}{2}$ is to the count of days."),
    Planted("JSON escapes", BUS, r"Expect \u0031\u0032\u0030 when you are done."),
    Planted("full-width digits", BUS, "The bus is on its way for １２０ minutes."),
    Planted(
        "zero-width characters", BUS, "The sum of all parts is 1\u200b2\u200b0 here."
    ),
    Planted(
        "look-alike letters",
        ASTRONOMER,
        "Read about Friedriсh Вessеl and what he did in Königsberg.",
    ),
    Planted("letters for digits", BUS, "In the end I got I2O for the whole way."),
    Planted("emphasis between the digits", BUS, "Look: **1**_2_**0**, bit by bit."),
    Planted(
        "first letters of the lines",
        ROTAS,
        "Enter both rotas in a calendar.\nIgnore the Sundays.\nGo on to August.\n"
        "Have a look at the beginning.\nTake care with the last day.\n"
        "Every date counts once.\nEnds are included.\nNow count.",
    ),
    Planted("within the tolerance", POT, "You need to wait about 11.148 minutes."),
    Planted("an option's letter", DROPS, "Think of mass and of drag: the answer is B."),
    Planted(
        "all other options ruled out",
        DROPS,
        "It cannot be the drizzle or anything light: A, C and D are wrong.",
    ),
    Planted("an option's text", LENSES, "By the lens equation the image is at 60 cm."),
    Planted(
        "a truth value", GRAPH, "This is Dirac's theorem, so the claim is correct."
    ),
    Planted("a list", PRIME_GAPS, "Check 23, 31, 37 and then 43 one by one."),
    Planted(
        "facts in other words",
        FERRY,
        "Steam ended when the water rose in the flood of '26, that is 1926; "
        "electricity came in 1934.",
    ),
    Planted(
        "a translated text",
        TRADE,
        "Sie ging zuerst bei einem Meister in die Lehre, der Kirchenorgeln baute.",
        missed=True,
    ),
    Planted(
        "a line of the program",
        SAILING,
        "Mind the index: it has to be `return hour - need + 1` at the end.",
    ),
    Planted(
        "a program with other names",
        CONCERT,
        "Try this for the cost:\n\n```python\nc = d\n"
        "if prev is not None and (k - prev) % 12 not in (0, 1, 11):\n    c += p\n```",
    ),
    Planted(
        "a written call",
        CABIN,
        'Begin with send_money(account="JP-3391", amount=12150, currency="JPY").',
    ),
    Planted(
        "a call in prose",
        TABLE,
        "Ask for the garden, for six persons, on the twenty-first of May at 8:45 pm.",
    ),
    Planted(
        "actions in prose",
        PARCELS,
        "Take P21 out (unload it), then put P12, P14 and P15 into the cooled van K2.",
    ),
    Planted(
        "a piece of a sample",
        HARMATTAN,
        "You might say that tea goes cloudy before it is poured, or so.",
    ),
)

INNOCENT = (
    Planted(
        "numbers of the question", BUS, "Add 8 ways? Count how often 13 is needed."
    ),
    Planted("another number", BUS, "From 9 on, add 13 seven times; it is not 124."),
    Planted("a time of the same size", BUS, "Do not forget the wait of 20 minutes."),
    Planted("another unit, another time", BUS, "It is more than an hour and a half."),
    Planted("a year that holds the digits", BUS, "Buses did this in 1200 and in 2120."),
    Planted("a small number in words", BUS, "Two of the three times count only once."),
    Planted(
        "English words like numbers", BUS, "Once you are on the bus, due care: ten."
    ),
    Planted(
        "an unfinished expression", BUS, "Work out 9 + 7 * 13 and see what is missing."
    ),
    Planted(
        "a name with the number", BUS, "Forget line P120 and bus B12O of the depot."
    ),
    Planted("a step's number", ROTAS, "In step 18 of your list you skipped a Sunday."),
    Planted("its digits the other way", ROTAS, "There are 81 days in the first half."),
    Planted("a range around it", ROTAS, "You should find between 10 and 30 days."),
    Planted("dates of the question", ROTAS, "Start on 5 March 2027, not on 3 March."),
    Planted("a near number", ROTAS, "There are 17 Sundays and Mondays before July."),
    Planted("Roman capitals", ROTAS, "See part II of the rota, and CD or MIX tapes."),
    Planted("near the answer, not at it", POT, "It is more than 11 minutes in all."),
    Planted("an intermediate result", POT, "518,175 J is what has to be supplied."),
    Planted("a constant", LAKE, "The decay constant is ln 2 over 22.3 years."),
    Planted(
        "a share of the question", MARBLES, "The 8 white ones are not drawn at all."
    ),
    Planted("other fractions", MARBLES, "Not 3/16: which marbles can be drawn at all?"),
    Planted(
        "all options compared", DROPS, "Compare A) with B), C) and D) by their mass."
    ),
    Planted("one wrong option", DROPS, "Option A is light; think about drag again."),
    Planted("a capital letter", DROPS, "A body falls until drag and weight are equal."),
    Planted("a number of the question", LENSES, "Use 1/f with f = 20 cm and 30 cm."),
    Planted(
        "a truth value supposed", GRAPH, "Suppose it is false and take a longest path."
    ),
    Planted(
        "a truth value asked", SERIES, "Ask whether this is true for 1, 1/2, 1/3, ..."
    ),
    Planted(
        "true for another thing", SERIES, "Tending to zero is needed; is it enough?"
    ),
    Planted("both names", RIVER, "Look up both the Oder and the Loire and compare."),
    Planted("a name's neighbour", ASTRONOMER, "Think of Königsberg and of 61 Cygni."),
    Planted("another year", FOUNDED, "It was closed in 1951, long after that."),
    Planted(
        "one element of the list", DIVISORS, "For instance 49 is 7 squared. Go on."
    ),
    Planted("one fact of three", TRADE, "Ilse Varonga has an article of her own."),
    Planted(
        "one fact of two", MACHINE, "Compare the yard with the makers in the table."
    ),
    Planted(
        "the question repeated",
        FERRY,
        "When did the electric chain ferry begin its "
        "service, and what had put an end to the steam ferry before it?",
    ),
    Planted(
        "lines of the question",
        SAILING,
        "Look at `if not level:` and at "
        "`return hour - need`: what do they do with zero?",
    ),
    Planted(
        "common code",
        TRAM,
        "Read line by line:\n\n```python\nfor line in sys.stdin:\n    print(line)\n```",
    ),
    Planted("a function's name", CABIN, "Call send_money twice, once for each friend."),
    Planted("one argument", TABLE, "Next week begins on Monday 17 May."),
    Planted(
        "values of the request", PARCELS, "Only K1 and K2 may leave for Likoni today."
    ),
    Planted(
        "words of the task", HARMATTAN, "Nine first letters: H, A, R, M, A, T, T, A, N."
    ),
)


TRAIN = _task(
    "A train of 210 m passes a signal in 14 seconds and then runs at this speed for 75 "
    "minutes. How many kilometres does it cover in these 75 minutes?",
    "67.5",
    "number",
    unit="km",
)
CHAIRS = _task(
    "In a hall with 23 rows every row has two chairs more than the one before; the "
    "first one has 14. How many chairs are there?",
    828,
    "number",
)
PLANETS = _task(
    "Which planet has the densest atmosphere of these? Options: A) Mars , B) Earth , "
    "C) Mercury , D) Venus , E) none of them",
    "d",
    "option",
)
COMPOSER = _task(
    "Who wrote the first opera whose music is known today?", "Jacopo Peri", "short"
)
ROOTS = _task("Give the whole solutions of x^2 - 3x - 28 = 0.", [-4, 7], "list")
KNIGHT = _task(
    "Can a knight visit every square of a 5 x 5 board once and end a knight's move "
    "from where it began?",
    False,
    "boolean",
)

HELD_OUT = (
    Planted("a sum of words", CHAIRS, "Your total ought to be eight hundred plus 28."),
    Planted("French words", CHAIRS, "As they say in Lyon: huit cent vingt-huit."),
    Planted("metres for kilometres", TRAIN, "It runs 67,500 m in that time."),
    Planted("a mixed number", TRAIN, "Mind the half: 67 1/2 is where you end."),
    Planted("a factorised number", CHAIRS, "The sum is 2 * 2 * 9 * 23, by the way."),
    Planted("an HTML entity", CHAIRS, "Look at &#56;&#50;&#56; once you have the sum."),
    Planted("Morse code", CHAIRS, "Listen: ---.. ..--- ---..", missed=True),
    Planted("a near miss and a step", CHAIRS, "Take 830 and go two down.", missed=True),
    Planted("the option in a riddle", PLANETS, "Choose the fourth option of the list."),
    Planted(
        "a synonym of the option",
        PLANETS,
        "It is the one called the evening star.",
        missed=True,
    ),
    Planted(
        "a name spaced out", COMPOSER, "Think of J a c o p o  P e r i in Florence."
    ),
    Planted(
        "a name by its ends",
        COMPOSER,
        "His initials are J. P., and Peri is his family name; Jacopo the other one.",
        missed=True,
    ),
    Planted("a list in words", ROOTS, "The roots are minus four and seven."),
    Planted(
        "a truth value in words",
        KNIGHT,
        "No such closed tour exists on this board.",
        missed=True,
    ),
    Planted(
        "a fact in German", MACHINE, "Old Hesper läuft jeden Donnerstag.", missed=True
    ),
    Planted(
        "facts in two sentences",
        MACHINE,
        "Old Hesper was made there. The page says that it runs on Thursdays.",
        missed=True,
    ),
    Planted(
        "a call as a table",
        CABIN,
        "Yuki: JP-3391, 12 150 yen. Ingrid: EU-5527, 19.62 euros.",
    ),
    Planted(
        "an action in other words",
        ROTA_OF_WARD,
        "Let Siri do Wednesday night, and give both of the gaps to Jonas.",
    ),
    Planted(
        "a program in JavaScript",
        SAILING,
        "```js\nif (level !== null && level >= "
        "limit) { run++ } else { run = 0 }\nif (run === need) { return hour - need "
        "+ 1 }\n```",
    ),
    Planted(
        "a sample paraphrased",
        LETTER,
        "Let him cut the onion in your swimming goggles that hang beside his stove.",
        missed=True,
    ),
)

HELD_OUT_INNOCENT = (
    Planted("a step of the way", CHAIRS, "The last row has 14 + 22 * 2 chairs; go on."),
    Planted("a part of the number", CHAIRS, "It is more than 500 and less than 1,000."),
    Planted(
        "a formula", CHAIRS, "Rows times (first + last) / 2 saves you 23 additions."
    ),
    Planted("a speed", TRAIN, "210 m in 14 s are 15 m/s; how far is that in an hour?"),
    Planted(
        "a conversion", TRAIN, "75 minutes are 1.25 hours, and m/s times 3.6 is km/h."
    ),
    Planted("a range", TRAIN, "Between 60 and 70 km would be sensible."),
    Planted(
        "options weighed",
        PLANETS,
        "Mars and Mercury hold little gas; which of the "
        "others has more carbon dioxide?",
    ),
    Planted("one option denied", PLANETS, "Not C: it has hardly any gas."),
    Planted("names around it", COMPOSER, "Monteverdi came a few years later."),
    Planted("the equation", ROOTS, "Find two numbers whose product is -28 and sum 3."),
    Planted(
        "colours of the board",
        KNIGHT,
        "Count the dark and the light squares: a knight always changes colour.",
    ),
    Planted(
        "a conditional truth", KNIGHT, "If it were true for one corner, what then?"
    ),
    Planted(
        "how to search",
        MACHINE,
        "Search for the ferry first, then read the museum's page to the end.",
    ),
    Planted(
        "the order of the calls",
        CABIN,
        "Look up the contacts and the rate before "
        "you send anything; mind which Ingrid you take.",
    ),
    Planted(
        "a rule of the ward",
        ROTA_OF_WARD,
        "Siri and the other senior have all the shifts that they may have.",
    ),
    Planted(
        "advice on code",
        SAILING,
        "Zero is a level as well: compare with None. "
        "Then ask which index the run began at.",
    ),
    Planted(
        "advice on form",
        LETTER,
        "Count the onions, and let the last four words be those that are asked for.",
    ),
    Planted("a rule of the shop", REFUND, "Count seven days, and not from the order."),
)
