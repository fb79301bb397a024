"""A small model behind an OpenAI-compatible endpoint: `python -m tests.real_model.serving FILE`.

Prints the address once it listens, and serves until its standard input ends.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CONTEXT = 6_144
"""Tokens of prompt and reply together."""


@contextlib.contextmanager
def served(model: Path, threads: int) -> Iterator[str]:
    """The base URL of the model, served by a process of its own."""
    command = [sys.executable, "-m", "tests.real_model.serving", str(model), str(threads)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            address = next((line for line in process.stdout if line.startswith("http")), None)
            if address is None:
                raise SystemExit(f"the model could not be served (exit code {process.wait()})")
            yield f"{address.strip()}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> None:
    """Serve the file that is named first, on as many threads as are named second."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.port = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[2])
    # Small models repeat themselves without end otherwise.
    params.sampling.penalty_repeat = 1.12
    server = xllamacpp.Server(params)
    print(f"\n{server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
