"""What code in the sandbox tries against it.

Every attack runs as cells after ``PRELUDE``. It is free to fail, hang or die; it must
not print BREACH, show the secret, or leave the supervisor unable to clean up.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from pytest_mint.sandbox.worker.syscalls import CAGE, NEVER, SELF_ONLY, SPECIAL

_COLUMN = 1 if hasattr(os, "uname") and os.uname().machine == "aarch64" else 0
NUMBERS = {
    name: numbers[_COLUMN]
    for table in (NEVER, SELF_ONLY, CAGE, SPECIAL)
    for name, numbers in table.items()
}

PRELUDE = f"""
import ctypes, errno
NUMBERS = {NUMBERS}
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EAFNOSUPPORT)
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def breach(*what):
    print("BREACH", *what, flush=True)

def refused(name, *args):
    ctypes.set_errno(0)
    result = libc.syscall(NUMBERS[name], *args)
    if result >= 0 or ctypes.get_errno() not in REFUSED:
        breach(name, args, result, ctypes.get_errno())

def attempt(action, *args, **kwargs):
    try:
        result = action(*args, **kwargs)
    except (OSError, ValueError):
        return
    breach(action.__name__, args, result)
"""


@dataclass(frozen=True)
class Attack:
    """Code, how long it may run, and in which sandboxes it makes sense."""

    code: str
    seconds: float = 3.0
    only: tuple[str, ...] = ("cage", "docker")


def _each(call: str, *names: str) -> str:
    return "\n".join(call.format(name=name) for name in names)


PROCESSES = {
    "fork bomb": Attack("""
import os
count = 0
while count < 5000:
    try:
        if os.fork() == 0:
            while True: pass
    except OSError: break
    count += 1
if count > 200: breach(count)
"""),
    "recursive fork bomb": Attack(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", 2
    ),
    "fork bomb of daemons": Attack(
        """
import os
while True:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError: pass
""",
        2,
    ),
    "thread bomb": Attack("""
import threading, time
try:
    for n in range(20000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    breach(n)
except (RuntimeError, MemoryError): pass
"""),
    "daemon that survives its parent": Attack("""
import os, time
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1)
        os._exit(0)
except OSError: pass
"""),
    "daemon that ignores all signals": Attack("""
import os, signal, time
try:
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True: time.sleep(1)
except OSError: pass
"""),
    "processes that eat the machine's time": Attack("""
import os, time
for n in range(4):
    try:
        if os.fork() == 0:
            end = time.time() + 1
            while time.time() < end: pass
            os._exit(0)
    except OSError: pass
"""),
    "a shell": Attack("import os\nos.system('sleep 100 & disown')"),
    "a shell by subprocess": Attack("""
import subprocess
try: print(subprocess.run(["/bin/sh", "-c", "id; ls /"], capture_output=True))
except OSError as problem: print(problem)
"""),
    "a pool of processes": Attack("""
import multiprocessing
try:
    with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1]))
except OSError as problem: print(problem)
"""),
    "clearing the death signal": Attack("refused('prctl', 1, 0, 0, 0, 0)"),
    "clone with namespaces": Attack("refused('clone', 0x10000011, 0, 0, 0, 0)"),
    "clone3": Attack("refused('clone3', 0, 0)"),
}

MEMORY = {
    "one block": Attack("""
x = bytearray(4 << 30)
x[::4096] = b"a" * len(x[::4096])
breach(len(x))
"""),
    "a growing list": Attack("x = []\nwhile True: x.append('a' * 1000000)", 8),
    "a growing child process": Attack(
        """
import subprocess, sys
subprocess.run([sys.executable, "-c",
    "x = []\\nwhile True: x.append(bytearray(1000000))"])
""",
        8,
    ),
    "a shared mapping": Attack(
        """
import mmap
try:
    area = mmap.mmap(-1, 3 << 30)
    for at in range(0, len(area), 4096): area[at] = 1
    breach(len(area))
except (OSError, MemoryError, ValueError): pass
""",
        8,
    ),
    "many shared mappings": Attack(
        """
import mmap
kept = []
try:
    while True:
        area = mmap.mmap(-1, 64 << 20)
        area.write(b"x" * len(area))
        kept.append(area)
        if len(kept) > 48: breach(len(kept)); break
except (OSError, MemoryError, ValueError): pass
""",
        8,
    ),
    "an anonymous file": Attack(
        """
import os
try:
    fd = os.memfd_create("x")
    for n in range(4096): os.write(fd, b"x" * (1 << 20))
    breach(n)
except OSError: pass
""",
        8,
    ),
    "raising one's own limits": Attack("""
import resource
for name in ("AS", "DATA", "FSIZE", "NOFILE", "CPU", "CORE"):
    number = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(number)
    if hard == resource.RLIM_INFINITY: continue
    attempt(resource.setrlimit, number, (hard + 1, hard + 1))
"""),
    "locked memory": Attack(
        "if libc.mlockall(7) == 0 and len(bytearray(64 << 20)): breach('locked')"
    ),
}

DISK = {
    "one large file": Attack(
        """
try:
    with open("big", "wb") as file:
        for n in range(512): file.write(b"x" * (1 << 20)); file.flush()
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
    "many files": Attack(
        """
try:
    for n in range(100000): open("f%d" % n, "w").close()
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
    "a large file in /tmp": Attack(
        """
try:
    with open("/tmp/big", "wb") as file:
        for n in range(512): file.write(b"x" * (1 << 20)); file.flush()
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
    "a large file in shared memory": Attack(
        """
try:
    with open("/dev/shm/big", "wb") as file:
        for n in range(512): file.write(b"x" * (1 << 20)); file.flush()
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
    "files beside the working folder": Attack(
        """
try:
    for n in range(64):
        with open("../big%d" % n, "wb") as file:
            for _ in range(8): file.write(b"x" * (1 << 20)); file.flush()
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
    "files written in the background": Attack(
        """
import threading, time
def run():
    for n in range(64): open("big%d" % n, "wb").write(b"x" * (8 << 20))
threading.Thread(target=run, daemon=True).start()
"""
    ),
    "a sparse file": Attack("""
try:
    with open("sparse", "wb") as file: file.truncate(1 << 40)
    breach("1 TiB")
except OSError as problem: print(problem)
"""),
    "a deep tree": Attack(
        """
import os
try:
    for n in range(3000): os.mkdir("d"); os.chdir("d")
except OSError as problem: print(n, problem)
""",
        8,
    ),
    "a tree without rights": Attack("""
import os
os.makedirs("a/b/c"); open("a/b/c/f", "w").close()
try:
    for path in ("a/b/c", "a/b", "a"): os.chmod(path, 0)
except OSError: pass
"""),
    "names that are hard to remove": Attack("""
import os
for name in (b"\\xff\\xfe", b"-rf", b"*", b"a\\nb", b" ", b"x" * 255):
    os.mkdir(name); open(os.path.join(name, name), "w").close()
"""),
    "links to everywhere": Attack("""
import os
for n, target in enumerate(("/", "/etc", "..", "/proc/self", ".", "loop", "/dev/zero")):
    os.symlink(target, "l%d" % n)
os.symlink("loop", "loop")
"""),
    "a named pipe and a socket": Attack("""
import os, socket
try: os.mkfifo("pipe")
except OSError: pass
try: socket.socket(socket.AF_UNIX).bind("socket")
except OSError: pass
"""),
    "a hard link out of the folder": Attack(
        "import os\nattempt(os.link, SECRET, 'mine')"
    ),
    "moving the working folder away": Attack("""
import os
try: os.rename(os.getcwd(), os.getcwd() + "-moved")
except OSError: pass
"""),
    "removing the working folder": Attack("""
import os, shutil
shutil.rmtree(os.getcwd(), ignore_errors=True)
"""),
    "an open file that was removed": Attack(
        """
import os
kept = open("kept", "wb"); os.unlink("kept")
try:
    for n in range(512): kept.write(b"x" * (1 << 20))
    breach(n)
except OSError as problem: print(problem)
""",
        8,
    ),
}

OUTSIDE = {
    "writing to the system": Attack("""
for path in ("/x", "/usr/x", "/etc/x", "/var/tmp/x", "/root" "/x", "/dev/x", "/run/x",
             "/sys/x", "/proc/sys/kernel/core_pattern", "/sys/fs/cgroup/x", "/home/x",
             "/etc/passwd", "/usr/lib/x", "/var/x", "/opt/x", "/srv/x", "/boot/x"):
    attempt(open, path, "w")
"""),
    "reading the secret": Attack("print(open(SECRET).read())"),
    "reading the secret through a link": Attack("""
import os
os.symlink(SECRET, "l"); os.symlink(os.path.dirname(SECRET), "d")
for path in ("l", "d/secret"):
    try: print(open(path).read())
    except OSError: pass
"""),
    "reading the secret through /proc": Attack("""
import os
for path in ("/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../.."):
    try: print(open(path + SECRET).read())
    except OSError: pass
"""),
    "reading the secret by SQLite": Attack("""
import sqlite3
try:
    base = sqlite3.connect(":memory:")
    base.execute("attach ? as outside", (SECRET,))
    print(base.execute("select * from outside.sqlite_master").fetchall())
except sqlite3.Error as problem: print(problem)
"""),
    "listing the secret's folder": Attack("""
import os
try: print(os.listdir(os.path.dirname(SECRET)) and breach("listed"))
except OSError: pass
"""),
    "changing the secret": Attack("""
import os
for action, args in ((os.truncate, (SECRET, 0)), (os.chmod, (SECRET, 0o777)),
                     (os.utime, (SECRET, (0, 0))), (os.unlink, (SECRET,)),
                     (os.rename, (SECRET, "mine")), (os.chown, (SECRET, 0, 0)),
                     (os.setxattr, (SECRET, "user.x", b"1"))):
    attempt(action, *args)
"""),
    "planting a file beside the secret": Attack("""
import os
attempt(open, os.path.join(os.path.dirname(SECRET), "planted"), "w")
attempt(os.mkdir, os.path.join(os.path.dirname(SECRET), "planted"))
attempt(os.symlink, "/", os.path.join(os.path.dirname(SECRET), "planted"))
"""),
    "the environment of the tests": Attack("""
import os
print(dict(os.environ), open("/proc/self/environ").read())
"""),
    "the environment of all processes": Attack(
        """
import os
for pid in range(1, 70000):
    try: print(open("/proc/%d/environ" % pid).read())
    except OSError: pass
""",
        8,
    ),
    "the memory of the supervisor": Attack("""
import os
for name in ("mem", "maps", "environ", "syscall", "stack", "auxv"):
    attempt(open("/proc/%d/%s" % (os.getppid(), name), "rb").read, 1)
"""),
    "the descriptors of the supervisor": Attack("""
import os
attempt(os.listdir, "/proc/%d/fd" % os.getppid())
for fd in range(8): attempt(os.open, "/proc/%d/fd/%d" % (os.getppid(), fd), os.O_RDWR)
"""),
    "password files": Attack("""
for path in ("/etc/shadow", "/etc/sudoers", "/root" "/.ssh/id_rsa",
             "/root" "/.bash_history", "/etc/ssh/ssh_host_rsa_key",
             "/run/docker.sock", "/var/run/docker.sock"):
    attempt(open, path)
"""),
    "tasks and graders of the installed package": Attack("""
import os, sys
for name in ("pytest_mint", "pytest"):
    try: __import__(name); breach(name)
    except ImportError: pass
"""),
    "the source of this package": Attack("""
import glob
for pattern in ("/usr/lib/python3*/*-packages/pytest_mint/*",
                "/usr/local/lib/python3*/*-packages/pytest_mint/*"):
    for path in glob.glob(pattern): attempt(open, path)
"""),
    "programs with another's rights": Attack(
        """
import os
found = []
for folder in ("/usr", "/bin", "/lib"):
    for top, _, names in os.walk(folder):
        for name in names:
            try:
                path = os.path.join(top, name)
                if os.lstat(path).st_mode & 0o6000 and os.access(path, os.X_OK):
                    found.append(path)
            except OSError: pass
import subprocess
for path in found: attempt(subprocess.Popen, [path])
""",
        8,
    ),
    "a program of one's own": Attack("""
import os, shutil, subprocess, sys
for folder in (".", "/tmp", "/dev/shm"):
    try:
        path = os.path.join(folder, "p")
        shutil.copyfile(os.path.realpath(sys.executable), path)
        os.chmod(path, 0o755)
        attempt(subprocess.Popen, [path, "-c", "print(1)"])
    except OSError: pass
"""),
    "devices": Attack("""
import os
for path in ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse",
             "/dev/kvm", "/dev/tty", "/dev/console", "/dev/net/tun", "/dev/vsock"):
    attempt(os.open, path, os.O_RDWR)
"""),
    "making a device": Attack("""
import os, stat
for folder in (".", "/tmp", "/dev/shm"):
    path = os.path.join(folder, "zero")
    attempt(os.mknod, path, stat.S_IFCHR | 0o666, os.makedev(1, 1))
"""),
}

NETWORK = {
    "connecting": Attack("""
import socket
for host, port in (("127.0.0.1", PORT), ("::1", PORT), ("1.1.1.1", 80),
                   ("169.254.169.254", 80), ("172.17.0.1", 80), ("0.0.0.0", PORT)):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as link:
            link.settimeout(0.2)
            link.connect((host, port))
            breach(host)
    except OSError: pass
"""),
    "sending datagrams": Attack("""
import socket
try:
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for host in ("1.1.1.1", "172.17.0.1"): attempt(link.sendto, b"x", (host, 53))
except OSError: pass
"""),
    "names": Attack(
        """
import socket
attempt(socket.getaddrinfo, "example.org", 80)
""",
        8,
    ),
    "raw and unusual sockets": Attack("""
import socket
for name in ("AF_PACKET", "AF_NETLINK", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN",
             "AF_KEY", "AF_TIPC", "AF_RDS"):
    if hasattr(socket, name):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW,
                     socket.SOCK_SEQPACKET):
            attempt(socket.socket, getattr(socket, name), kind)
attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
"""),
    "an abstract socket": Attack("""
import socket
try:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(ABSTRACT)
        breach("connected")
except OSError: pass
"""),
    "a socket in the file system": Attack("""
import socket
for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket",
             "/run/systemd/private", "/tmp/.X11-unix/X0"):
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
            breach(path)
    except OSError: pass
"""),
    "a server": Attack("""
import socket
try:
    link = socket.socket()
    link.bind(("0.0.0.0", 0)); link.listen()
    if KIND == "cage": breach("listening")
except OSError: pass
"""),
    "a web page": Attack("""
import urllib.request
try: urllib.request.urlopen("http://127.0.0.1:%d/" % PORT, timeout=1); breach("page")
except OSError: pass
"""),
}

OUTPUT = {
    "printing without end": Attack("while True: print('x' * 1000)"),
    "a child that prints without end": Attack("""
import subprocess, sys
subprocess.run([sys.executable, "-c", "while True: print('y' * 1000)"])
"""),
    "errors without end": Attack(
        "import sys\nwhile True: sys.stderr.write('x' * 1000)"
    ),
    "printing in the background": Attack("""
import threading, time
def run():
    while True: print("z"); time.sleep(0.01)
threading.Thread(target=run, daemon=True).start()
"""),
    "bytes that are no text": Attack("import os\nos.write(1, bytes(range(256)) * 100)"),
    "half a character": Attack("import os\nos.write(1, b'\\xe2\\x82')"),
    "surrogates": Attack("print('\\ud800'); '\\udfff'"),
    "control characters": Attack(
        "print('\\x1b[2J\\x1b]0;title\\x07\\x00\\x08' * 10000)"
    ),
    "a value too long to show": Attack("'x' * (200 << 20)", 8),
    "a number too long to show": Attack("10 ** 10000"),
    "a number that takes for ever to show": Attack(
        "import sys\ngetattr(sys, 'set_int_max_str_digits', int)(0)\n7 ** 10 ** 7", 2
    ),
    "a traceback without end": Attack("""
def first(n): return second(n)
def second(n): return first(n)
import sys
sys.setrecursionlimit(50000)
first(0)
"""),
    "a chain of errors without end": Attack("""
def fail(n):
    try: raise ValueError("x" * 10000)
    except ValueError as problem:
        if n: fail(n - 1)
        raise KeyError("y" * 10000) from problem
fail(200)
"""),
    "an error in a circle": Attack("""
a, b = ValueError("a"), ValueError("b")
a.__cause__, b.__cause__ = b, a
raise a
"""),
}

TIME = {
    "an endless loop": Attack("while True: pass", 0.5),
    "a loop that ignores interrupts": Attack(
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        0.5,
    ),
    "a loop that catches everything": Attack(
        "while True:\n    try:\n        while True: pass\n"
        "    except BaseException: pass",
        0.5,
    ),
    "a loop in C": Attack("sum(range(10 ** 12))", 0.5),
    "a power tower": Attack("x = 9 ** 9 ** 9", 1),
    "sleep": Attack("import time\ntime.sleep(100)", 0.5),
    "a lock held for ever": Attack(
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", 0.5
    ),
    "a regular expression": Attack(
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", 0.5
    ),
    "stopping oneself": Attack("import os, signal\nos.kill(os.getpid(), 19)", 0.5),
    "a string method that never ends": Attack(
        "class A:\n    def __repr__(self):\n        while True: pass\nA()", 0.5
    ),
    "an alarm": Attack(
        """
import signal
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while True: pass
""",
        0.5,
    ),
    "a finalizer that never ends": Attack(
        """
class A:
    def __del__(self):
        while True: pass
a = A()
del a
""",
        0.5,
    ),
}

CRASHES = {
    "hard exit": Attack("import os\nos._exit(7)"),
    "exit": Attack("import sys\nsys.exit(3)"),
    "abort": Attack("import os\nos.abort()"),
    "a wild pointer": Attack("import ctypes\nctypes.string_at(0)"),
    "recursion": Attack("def f(): f()\nf()"),
    "recursion without a limit": Attack(
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(x): return [f(x)]\nf(1)", 8
    ),
    "recursion in C": Attack(
        """
import sys
sys.setrecursionlimit(10 ** 9)
class A:
    def __getattr__(self, name): return getattr(self, name + "a")
A().x
""",
        8,
    ),
    "a parser that gives up": Attack("compile('(' * 100000, 'x', 'eval')"),
    "code too deep to compile": Attack("eval('-' * 100000 + '1')", 8),
    "broken bytecode": Attack("""
def f(): pass
try:
    f.__code__ = f.__code__.replace(co_code=b"\\x64\\xff" * 50, co_stacksize=0)
    f()
except BaseException as problem: print(problem)
"""),
    "all descriptors closed": Attack("import os\nos.closerange(0, 256)"),
    "standard streams closed": Attack("import os\nfor fd in range(3): os.close(fd)"),
    "standard streams gone": Attack("import sys\nsys.stdout = sys.stderr = None"),
    "builtins gone": Attack("""
import builtins, sys, json
builtins.print = builtins.len = builtins.repr = None
json.dumps = json.JSONEncoder.encode = lambda *a, **k: 1 / 0
"""),
    "os.write gone": Attack("import os\nos.write = os.read = lambda *a: 0"),
    "modules gone": Attack("import sys\nsys.modules.clear()"),
    "an import hook": Attack("""
import sys
class Hook:
    def find_spec(self, *args): raise SystemExit
sys.meta_path.insert(0, Hook()); sys.path_hooks.clear(); sys.path.clear()
"""),
    "an error that cannot be shown": Attack(
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E"
    ),
    "an error class of its own mind": Attack("""
class Meta(type):
    def __getattribute__(cls, name): raise KeyboardInterrupt
class E(Exception, metaclass=Meta): pass
raise E
"""),
    "a trace function": Attack("""
import sys, threading
def trace(*args): raise SystemExit
sys.settrace(trace); threading.settrace(trace); sys.setprofile(trace)
"""),
    "an exit function": Attack("import atexit, os\natexit.register(os._exit, 0)"),
    "garbage collection hooks": Attack("""
import gc
gc.callbacks.append(lambda *a: 1 / 0)
for thing in gc.get_objects():
    if isinstance(thing, dict) and "_encode" in thing: thing.clear()
"""),
}

CONTROL = {
    "garbage": Attack("import os\nos.write(3, b'\\x00\\x00\\x00\\x02{}')"),
    "no frame at all": Attack("import os\nos.write(3, b'GET / HTTP/1.1\\r\\n\\r\\n')"),
    "a frame without end": Attack("import os\nos.write(3, b'\\xff\\xff\\xff\\xff')"),
    "a forged reply": Attack("""
import json, os, struct
text = json.dumps({"status": "ok", "value": "forged", "id": 99, "clean": 1}).encode()
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a reply of the wrong types": Attack("""
import json, os, struct
text = json.dumps({"status": {"a": 1}, "value": [1] * 9, "error": {}}).encode()
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a reply nested without end": Attack("""
import os, struct
text = b'{"status": "ok", "value": ' + b"[" * 90000 + b"]" * 90000 + b"}"
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a number without end": Attack("""
import os, struct
text = b'{"status": ' + b"9" * 100000 + b"}"
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a call to nobody": Attack("""
import json, os, struct
text = json.dumps({"function": "nobody", "args": [], "kwargs": {}}).encode()
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a call of the wrong types": Attack("""
import json, os, struct
text = json.dumps({"function": ["x"], "args": 7, "kwargs": None}).encode()
os.write(3, struct.pack(">I", len(text)) + text)
"""),
    "a flood of calls": Attack(
        """
import json, os, struct
text = json.dumps({"function": "nobody", "args": ["x" * 1000], "kwargs": {}}).encode()
for n in range(2000): os.write(3, struct.pack(">I", len(text)) + text)
""",
        5,
    ),
    "descriptors in a message": Attack("""
import array, socket
link = socket.socket(fileno=3)
try: link.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                            array.array("i", [0, 1, 2] * 10))])
except OSError: pass
link.detach()
"""),
    "a shut control socket": Attack("""
import socket
link = socket.socket(fileno=3)
link.shutdown(2); link.detach()
"""),
    "reading what is meant for the worker": Attack("import os\nos.read(3, 1000)", 1),
}

SUPERVISOR = {
    "signals": Attack("""
import os
for number in range(1, 65):
    try:
        os.kill(os.getppid(), number)
        if KIND == "cage": breach("signal", number)
    except OSError: pass
"""),
    "signals to everybody": Attack("""
import os
os.kill(-1, 9)
"""),
    "signals to the tests": Attack(
        """
import os
for number in (0, 9, 15): attempt(os.kill, TESTS, number)
""",
        only=("cage",),
    ),
    "signals to a group": Attack("""
import os
try: os.killpg(os.getpgid(os.getppid()), 9)
except OSError: pass
"""),
    "stopping": Attack("""
import os, signal
try: os.kill(os.getppid(), signal.SIGSTOP)
except OSError: pass
"""),
    "limits": Attack("""
import os, resource
for name in ("NOFILE", "CPU", "AS", "DATA", "FSIZE"):
    attempt(resource.prlimit, os.getppid(), getattr(resource, "RLIMIT_" + name), (0, 0))
"""),
    "scheduling": Attack("""
import os
attempt(os.sched_setaffinity, os.getppid(), {0})
attempt(os.setpriority, os.PRIO_PROCESS, os.getppid(), 19)
attempt(os.setpriority, os.PRIO_USER, 0, 19)
"""),
    "memory badness": Attack("""
import os
attempt(open, "/proc/%d/oom_score_adj" % os.getppid(), "w")
"""),
    "tracing": Attack("import os\nrefused('ptrace', 16, os.getppid(), 0, 0)"),
    "reading memory": Attack(
        "import os\nrefused('process_vm_readv', os.getppid(), 0, 0, 0, 0, 0)"
    ),
    "writing memory": Attack(
        "import os\nrefused('process_vm_writev', os.getppid(), 0, 0, 0, 0, 0)"
    ),
    "taking descriptors": Attack("""
import os
try: fd = os.pidfd_open(os.getppid())
except OSError: fd = 0
refused("pidfd_getfd", fd, 1, 0)
"""),
}

KERNEL = {
    "denied calls": Attack(_each("refused('{name}', 0, 0, 0, 0, 0, 0)", *NEVER)),
    "denied calls in the cage": Attack(
        _each(
            "refused('{name}', 0, 0, 0, 0, 0, 0)",
            *(n for n in CAGE if NUMBERS[n] is not None and n not in ("vfork",)),
        ),
        only=("cage",),
    ),
    "a user namespace": Attack("refused('unshare', 0x10000000)"),
    "a mount": Attack("refused('mount', b'none', b'/tmp', b'tmpfs', 0, 0)"),
    "another user": Attack("""
import os
for action in (os.setuid, os.setgid, os.seteuid, os.setegid):
    try: action(os.getuid() + 1); breach(action.__name__)
    except OSError: pass
"""),
    "calls of another machine": Attack("""
result = libc.syscall(0x40000000 + 41, 2, 1, 0)
if result >= 0: breach("x32 socket")
"""),
    "System V memory": Attack("refused('shmget', 0x1234, 4096, 0o1666)"),
    "a kernel key": Attack("refused('add_key', b'user', b'x', b'y', 1, -3)"),
    "loosening the filter": Attack("""
if libc.prctl(22, 0, 0, 0, 0) == 0: breach("strict mode undone")
status = open("/proc/self/status").read() if KIND == "docker" else "Seccomp:\\t2"
if "Seccomp:\\t2" not in status: breach(status)
"""),
    "gaining rights": Attack("""
if libc.prctl(39, 0, 0, 0, 0) != 1: breach("new privileges")
if libc.prctl(38, 0, 0, 0, 0) == 0: breach("no_new_privs cleared")
"""),
    "capabilities": Attack("""
import ctypes
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)()
libc.capget(ctypes.byref(header), ctypes.byref(data))
if any(data): breach(list(data))
"""),
}

GROUPS = {
    "processes": PROCESSES,
    "memory": MEMORY,
    "disk": DISK,
    "outside": OUTSIDE,
    "network": NETWORK,
    "output": OUTPUT,
    "time": TIME,
    "crashes": CRASHES,
    "control": CONTROL,
    "supervisor": SUPERVISOR,
    "kernel": KERNEL,
}
ATTACKS: dict[str, Attack] = {
    f"{group}: {name}": attack
    for group, attacks in GROUPS.items()
    for name, attack in attacks.items()
}
