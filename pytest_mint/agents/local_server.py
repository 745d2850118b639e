"""The child that serves the local model, until whoever started it is gone.

A bare script: ``python -I local_server.py WEIGHTS PACKAGES PARENT``. It imports nothing
of this package, so that no module of the user's folder can take the place of one.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from xllamacpp import CommonParams

#: Tokens of prompt and answer together: all that the model was trained for.
CONTEXT = 8192
#: Calls that may wait for the one slot. A connection that is kept holds a thread.
CALLS = 64
#: Only errors are logged.
_ERRORS = 1
#: Seconds after which a parent is missed whose end of the pipe another one holds.
_LOOK = 1.0


def main(weights: str, packages: str, parent: int) -> None:
    """Serve until standard input ends, and say on standard output where."""
    # Ctrl-C is the parent's to handle: it may still finish what it plays.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch = threading.Thread(target=_leave_with, args=(parent,), daemon=True)
    watch.start()
    # Nothing but the address may be written where the parent reads it.
    out = os.dup(1)
    os.dup2(2, 1)
    sys.path.append(packages)
    import xllamacpp

    server = xllamacpp.Server(_params(xllamacpp.CommonParams(), weights))
    _check(server.listening_address)
    with os.fdopen(out, "w") as parents:
        print(json.dumps({"url": f"{server.listening_address}/v1"}), file=parents)
    watch.join()


def _params(params: CommonParams, weights: str) -> CommonParams:
    params.model.path = weights
    params.model_alias = {Path(weights).stem}  # what records call it
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # one that is free
    params.n_threads_http = CALLS
    params.n_ctx = CONTEXT
    # Sums in another order are other sums: with one thread, one call at a time and
    # nothing kept from the last one, temperature 0 says the same thing every time.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_parallel = 1
    params.cont_batching = False
    params.cache_prompt = False
    params.cache_idle_slots = False
    params.cache_ram_mib = 0
    # The same on every machine: no graphics card, and no context made to measure.
    params.n_gpu_layers = 0
    params.no_op_offload = True
    params.no_kv_offload = True
    params.fit_params = False
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = "null"  # a page in a browser has no business here
    params.verbosity = _ERRORS
    return params


def _check(address: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    connection.request("GET", "/health")
    status = connection.getresponse().status
    connection.close()
    if status != 200:
        raise RuntimeError(f"the server answers {status}")


def _leave_with(parent: int) -> None:
    """End this process when standard input ends or the parent is another one.

    A process that the parent forked may hold the other end of the pipe, too, and live
    on: then only the second tells.
    """
    while os.getppid() == parent:
        if select.select([0], [], [], _LOOK)[0] and not os.read(0, 1024):
            break
    os._exit(0)  # whatever the server's threads are at


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
