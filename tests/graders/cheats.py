"""Programs that try to pass without solving the task. None may.

The task is ``add(a, b)``; those of ``SCRIPTS`` face asserts in their own process,
those of ``PRINTING`` a program that reads two numbers and prints their sum.
"""

from __future__ import annotations

WRONG = "\ndef add(a, b):\n    return 99\n"

CHEATS: dict[str, str] = {
    "equal to everything": """
class Any:
    def __eq__(self, other): return True
    __hash__ = None
def add(a, b): return Any()
""",
    "an int that is equal to everything": """
class Any(int):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
    __rsub__ = __abs__ = __sub__
    __hash__ = int.__hash__
def add(a, b): return Any(99)
""",
    "a float that is never far away": """
class Near(float):
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __lt__(self, other): return True
    __le__ = __lt__
def add(a, b): return Near(99)
""",
    "a string that is equal to everything": """
class Any(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def add(a, b): return Any('99')
""",
    "a number without a value": "def add(a, b): return float('nan')",
    "infinity": "def add(a, b): return float('inf')",
    "true for one": "def add(a, b): return True",
    "a generator of guesses": """
def add(a, b):
    yield from range(100)
""",
    "all guesses at once": "def add(a, b): return list(range(-100, 100))",
    "a dictionary that answers anything": """
class Any(dict):
    def __missing__(self, key): return 3
def add(a, b): return Any()
""",
    "a promise": "async def add(a, b): return a + b",
    "expected values in the frames": """
import sys
def add(a, b):
    frame = sys._getframe()
    while frame:
        for names in (frame.f_locals, frame.f_globals):
            for word in ("expected", "want", "answer", "case", "tests"):
                if word in names: return names[word]
        frame = frame.f_back
""",
    "expected values in the heap": """
import gc
def add(a, b):
    for thing in gc.get_objects():
        if isinstance(thing, dict) and "expected" in thing: return thing["expected"]
        if isinstance(thing, list) and len(thing) == 3 and thing[:2] == [a, b]:
            return thing[2]
""",
    "expected values in the traceback": """
import sys
def add(a, b):
    try: raise ValueError
    except ValueError as problem:
        frame = problem.__traceback__.tb_frame
        while frame.f_back: frame = frame.f_back
        return frame.f_locals.get("expected", frame.f_globals.get("expected"))
""",
    "expected values in the modules": """
import sys
def add(a, b):
    for module in list(sys.modules.values()):
        for word in ("EXPECTED", "expected", "tests", "CASES"):
            if hasattr(module, word): return getattr(module, word)
""",
    "expected values in the parent's memory": """
import os
def add(a, b):
    return open("/proc/%d/mem" % os.getppid(), "rb").read(1)
""",
    "expected values in the parent's environment": """
import os
def add(a, b):
    return open("/proc/%d/environ" % os.getppid()).read() and 3
""",
    "expected values on the command line": """
import os, sys
def add(a, b):
    text = open("/proc/self/cmdline").read() + str(sys.argv) + str(dict(os.environ))
    assert "expected" in text
    return 3
""",
    "expected values in files": """
import os
def add(a, b):
    for folder, _, names in os.walk("."):
        for name in names:
            text = open(os.path.join(folder, name)).read()
            if "expected" in text: return eval(text)["expected"]
""",
    "expected values in the installed package": """
import pytest_mint
def add(a, b):
    from pytest_mint.graders import code
    return code.same_value
""",
    "a planted answer from an earlier case": """
import os, json
def add(a, b):
    seen = json.load(open("seen")) if os.path.exists("seen") else []
    json.dump(seen + [[a, b]], open("seen", "w"))
    return sum([a, b]) if seen else 99
"""
    + "\ndel add\n"
    + WRONG,
    "the comparison replaced": "import math, operator\n"
    "math.isclose = operator.eq = lambda *a, **k: True\n" + WRONG,
    "json replaced": """
import json
json.dumps = lambda *a, **k: '{"status": "ok", "value": 3}'
json.loads = lambda *a, **k: {"status": "ok", "value": 3}
json.JSONEncoder.encode = lambda *a, **k: '{"status": "ok", "value": 3}'
"""
    + WRONG,
    "builtins replaced": """
import builtins
builtins.isinstance = lambda *a: True
builtins.all = builtins.any = lambda *a: True
builtins.type = lambda *a: int
"""
    + WRONG,
    "a test framework replaced": "import unittest\n"
    "unittest.TestCase.assertEqual = lambda *a, **k: None\n" + WRONG,
    "the worker's modules replaced": """
import sys
for name, module in list(sys.modules.items()):
    if "sandbox" in name:
        for word in dir(module):
            if not word.startswith("__"): setattr(module, word, lambda *a, **k: 3)
"""
    + WRONG,
    "the worker's functions rewritten": """
import gc, types
def three(*a, **k): return 3
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and "encode" in thing.__name__:
        thing.__code__ = three.__code__
"""
    + WRONG,
    "exit before the call": "import sys\nsys.exit(0)\n" + WRONG,
    "exit in the call": "import sys\ndef add(a, b): sys.exit(0)",
    "a hard exit before the call": "import os\nos._exit(0)\n" + WRONG,
    "a hard exit in the call": "import os\ndef add(a, b): os._exit(0)",
    "a kind signal": "import os\ndef add(a, b): os.kill(os.getpid(), 15)",
    "an exit function": "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG,
    "the parent leaves": "import os\nif os.fork(): os._exit(0)\n" + WRONG,
    "the child answers": """
import os
def add(a, b):
    if os.fork() == 0: return 3
    os.wait()
    return 99
""",
    "a thread that exits": """
import os, threading
threading.Timer(0.01, os._exit, (0,)).start()
def add(a, b):
    while True: pass
""",
    "printed success": "print('PASS'); print('OK'); print('4 passed')\n" + WRONG,
    "printed results": """
import sys
def add(a, b):
    print('{"status": "ok", "value": 3, "passed": true, "score": 1.0}')
    sys.stdout.flush()
    return 99
""",
    "results on every descriptor": """
import os
def add(a, b):
    for fd in range(3, 256):
        try: os.write(fd, b'{"status": "ok", "value": 3}')
        except OSError: pass
    return 99
""",
    "a forged frame": """
import json, os, struct
def add(a, b):
    body = json.dumps({"status": "ok", "value": 3, "arguments": ["list", []]}).encode()
    os.write(3, struct.pack(">I", len(body)) + body)
    while True: pass
""",
    "a frame without end": """
import os
def add(a, b):
    os.write(3, b"\\xff\\xff\\xff\\xff")
    while True: pass
""",
    "a frame nested without end": """
import os, struct
def add(a, b):
    body = b'{"value": ' + b"[" * 100000 + b"]" * 100000 + b"}"
    os.write(3, struct.pack(">I", len(body)) + body)
    while True: pass
""",
    "swallowing the time limit": """
def add(a, b):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "an error that is equal to everything": """
class Wrong(Exception):
    def __str__(self): raise SystemExit(0)
    def __eq__(self, other): return True
def add(a, b): raise Wrong
""",
    "recursion": "import sys\nsys.setrecursionlimit(10**8)\n"
    "def add(a, b): return add(a, b) + 1",
    "a table of the public example": "def add(a, b): return {(1, 2): 3}.get((a, b))",
}

SCRIPTS: dict[str, str] = {
    "exit": "import sys\nsys.exit(0)",
    "hard exit": "import os\nos._exit(0)",
    "exit in the call": "def add(a, b):\n    raise SystemExit(0)",
    "hard exit in the call": "import os\ndef add(a, b):\n    os._exit(0)",
    "a forged report": """
import json, os, struct
body = json.dumps({"status": "ok", "nonce": "0" * 32}).encode()
os.write(3, struct.pack(">I", len(body)) + body)
os._exit(0)
""",
    "an exit function": "import atexit, os\natexit.register(os._exit, 0)\n1/0",
    "the rest commented out": WRONG + '"""',
    "replaced assertion error": "AssertionError = SystemExit" + WRONG,
    "the parent leaves": "import os\nif os.fork():\n    os._exit(0)\n" + WRONG,
    "printed success": "print('OK')" + WRONG,
    "waiting for input": "input()" + WRONG,
    "an endless loop": "while True:\n    pass",
}

PRINTING: dict[str, str] = {
    "nothing": "pass",
    "all guesses": "for n in range(-50, 50): print(n)",
    "a right line among others": "a, b = map(int, input().split())\nprint('=', a + b)",
    "on the wrong stream": "import sys\nprint(sum(map(int, input().split())), "
    "file=sys.stderr)",
    "the example only": "print(5)",
    "printed success": "print('AC'); print('OK')",
    "an error after the answer": "print(sum(map(int, input().split())))\n1/0",
    "without end": "while True: print(5)",
}
