"""A real Neo4j community server without Docker, from the Maven artifacts.

    python tools/neo4j/server.py start | stop | status | run

`start` leaves a server in the background, `run` keeps one in the foreground until Ctrl-C.
Exit codes: 0 done (status: running), 1 failed (status: not running), 2 wrong usage, 3 this
machine lacks something that the server needs, which the message names.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

import artifacts
import java_runtime
from home import SHORTEST_PASSWORD, Home, State, locked
from java_runtime import UnavailableError

HOST = "127.0.0.1"
USER = "neo4j"
STOP_SECONDS = 60.0
# How long a plan is kept before the statistics are looked at: Neo4j's default, and a day. A test
# server starts empty, so its statistics change all the time, and planning anew every ten seconds
# took two thirds of its processor time.
USUAL_PLANS_SECONDS = 10
QUICK_PLANS_SECONDS = 24 * 60 * 60
STOPPED_BY_SIGNAL = 128 + signal.SIGTERM


class ServerError(Exception):
    """The command could not be carried out; the message says why and what to do."""


class PortTakenError(ServerError):
    """Another program listens on the port."""


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; the exit code is described above."""
    options = _options(arguments)
    cache = _cache()
    home = Home(options.home or cache / "homes" / options.version)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        if options.command == "start":
            return _start(home, cache, options)
        if options.command == "run":
            return _run(home, cache, options)
        if options.command == "stop":
            return _stop(home, kill=options.kill)
        return _status(home, as_json=options.json)
    except UnavailableError as missing:
        print(f"Neo4j cannot run here: {missing}", file=sys.stderr)
        return 3
    except ServerError as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _start(home: Home, cache: Path, options: argparse.Namespace) -> int:
    with home.exclusive():
        if home.running():
            _check_same(home, options)
        else:
            _close_pipes(_launch(home, cache, options, detached=True))
        return _status(home, as_json=options.json)


def _check_same(home: Home, options: argparse.Namespace) -> None:
    state = home.state()
    assert state is not None
    if state.version != options.version or options.port not in (None, state.port):
        raise ServerError(
            f"a server runs on {home.folder} already, Neo4j {state.version} on port {state.port}; "
            "stop it first, or give another --home"
        )
    if options.password_env is not None:
        print("it runs already, with the password of its start", file=sys.stderr)


def _run(home: Home, cache: Path, options: argparse.Namespace) -> int:
    with home.exclusive():
        if home.running():
            raise ServerError(f"a server runs on {home.folder} already; stop it first")
        process = _launch(home, cache, options, detached=False)
        _status(home, as_json=options.json)
    print("Ctrl-C stops it.", flush=True)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        _end(process)
        return 0
    if code == STOPPED_BY_SIGNAL:
        return 0
    raise ServerError(f"the server ended with code {code}; its log is {home.log}{_tail(home.log)}")


def _stop(home: Home, *, kill: bool) -> int:
    if not home.folder.exists():
        print(f"no server was ever started on {home.folder}")
        return 0
    with home.exclusive():
        state = home.state()
        if state is None or state.pid is None or not home.running():
            print(f"no server runs on {home.folder}")
            return 0
        for signal_number in (signal.SIGKILL,) if kill else (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.kill(state.pid, signal_number)
            descriptor = home.claim(wait=STOP_SECONDS)
            if descriptor is not None:
                os.close(descriptor)
                home.write_state(State(state.version, state.port))
                print("stopped")
                return 0
    raise ServerError(f"process {state.pid} did not end; its log is {home.log}")


def _status(home: Home, *, as_json: bool) -> int:
    state = home.state()
    running = state is not None and state.ready and home.running()
    if as_json:
        print(json.dumps(_facts(home, state if running else None)), flush=True)
    elif state is None or not running:
        print(f"no server runs on {home.folder}")
    else:
        written = home.password_file.exists()
        password = f"cat {shlex.quote(str(home.password_file))}" if written else "the one you gave"
        stop = f"{shlex.quote(sys.executable)} {shlex.quote(__file__)} stop"
        print(
            f"Neo4j {state.version} is ready.\n"
            f"  URL       bolt://{HOST}:{state.port}\n"
            f"  user      {USER}\n"
            f"  password  {password}\n"
            f"  stop      {stop} --home {shlex.quote(str(home.folder))}",
            flush=True,
        )
    return 0 if running else 1


def _facts(home: Home, state: State | None) -> dict[str, object]:
    if state is None:
        return {"running": False, "home": str(home.folder)}
    return {
        "running": True,
        "home": str(home.folder),
        "uri": f"bolt://{HOST}:{state.port}",
        "user": USER,
        "password_file": str(home.password_file) if home.password_file.exists() else None,
        "version": state.version,
        "pid": state.pid,
    }


def _launch(
    home: Home, cache: Path, options: argparse.Namespace, *, detached: bool
) -> subprocess.Popen[bytes]:
    version: str = options.version
    before = home.state()
    if before is not None and before.version != version:
        raise ServerError(
            f"{home.folder} holds data of Neo4j {before.version}, not {version}; "
            "give another --home"
        )
    given = _given_password(options.password_env)
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "prepare.lock"):
        java = java_runtime.runtime_for(version, cache)
        classpath = f"{artifacts.launcher(version, cache)}:{artifacts.jars(version, cache)}/*"
    password = home.password(given)
    preferred = options.port or (before.port if before else 0)
    for attempt in range(3):
        port = _free_port(preferred if attempt == 0 else 0, required=options.port is not None)
        command = [
            *(str(java.java), f"-Xmx{options.heap}", *java.flags()),
            *(("-XX:TieredStopAtLevel=1",) if options.quick else ()),
            *("-classpath", classpath),
            *("Neo4jServer", str(home.folder), str(port), str(_bytes(options.page_cache))),
            "detached" if detached else "attached",
            str(QUICK_PLANS_SECONDS if options.quick else USUAL_PLANS_SECONDS),
        ]
        try:
            return _spawn(home, command, password, State(version, port), options.timeout)
        except PortTakenError:
            # Someone took it between our look and the server's; a port asked for is not changed.
            if options.port is not None:
                raise
    raise ServerError("every free port was taken before the server could listen on it; try again")


def _spawn(
    home: Home, command: list[str], password: str, state: State, timeout: float
) -> subprocess.Popen[bytes]:
    descriptor = home.claim(wait=5)
    if descriptor is None:
        raise ServerError(f"another server holds {home.folder}")
    try:
        with home.log.open("w") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                pass_fds=[descriptor],
            )
    finally:
        os.close(descriptor)
    state = State(state.version, state.port, process.pid)
    try:
        home.write_state(state)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{password}\n".encode())
            process.stdin.flush()
        _await_ready(home, process, timeout)
        home.write_state(State(state.version, state.port, process.pid, ready=True))
    except BaseException:
        _end(process)
        raise
    return process


def _await_ready(home: Home, process: subprocess.Popen[bytes], timeout: float) -> None:
    assert process.stdout is not None
    deadline = time.monotonic() + timeout
    printed = b""
    while b"ready\n" not in printed:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([process.stdout], [], [], left)[0]:
            raise ServerError(f"the server was not ready after {timeout:.0f} s{_tail(home.log)}")
        chunk = os.read(process.stdout.fileno(), 4096)
        printed += chunk
        if not chunk:
            process.wait()
            if "PortBindException" in home.log.read_text(errors="replace"):
                raise PortTakenError("another program listens on the port; choose another --port")
            raise ServerError(f"the server did not start{_tail(home.log)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
    _close_pipes(process)


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _free_port(preferred: int, *, required: bool) -> int:
    for port in (preferred, 0):
        with socket.socket() as probe:
            # As the server does, so that connections of a killed one do not hold the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as taken:
                if required:
                    raise PortTakenError(
                        f"port {port} cannot be had ({taken.strerror}); choose another --port, or "
                        "leave it out for a free one"
                    ) from taken
            else:
                return int(probe.getsockname()[1])
    raise ServerError("no free port on 127.0.0.1")


def _given_password(variable: str | None) -> str | None:
    if variable is None:
        return None
    password = os.environ.get(variable, "")
    if len(password) < SHORTEST_PASSWORD or "\n" in password:
        raise ServerError(
            f"the environment variable {variable} must hold the password, of "
            f"{SHORTEST_PASSWORD} characters or more"
        )
    return password


def _cache() -> Path:
    chosen = os.environ.get("BITEMPO_NEO4J_CACHE")
    return Path(chosen) if chosen else artifacts.HERE.parents[1] / ".cache" / "neo4j"


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    causes = [line for line in lines if line.startswith(("Caused by", "Exception", "Error"))]
    shown = causes[-3:] or lines[-10:]
    return "".join(f"\n  {line[:300]}" for line in shown)


def _bytes(size: str) -> int:
    units = {"k": 2**10, "m": 2**20, "g": 2**30}
    return int(size[:-1]) * units[size[-1].lower()] if size[-1].isalpha() else int(size)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="server.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["start", "stop", "status", "run"])
    parser.add_argument(
        "--version",
        default=artifacts.LONG_TERM_SUPPORT,
        help="Neo4j version, such as 5.26.28 (default) or 2026.09.0",
    )
    parser.add_argument("--port", type=int, help="Bolt port (default: that of last time, or free)")
    parser.add_argument("--home", type=Path, help="folder of the data (default: in the cache)")
    parser.add_argument(
        "--password-env",
        metavar="VAR",
        help="environment variable that holds the password (default: one is generated)",
    )
    parser.add_argument("--heap", default="1g", help="Java heap (default: 1g)")
    parser.add_argument("--page-cache", default="256m", help="page cache (default: 256m)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="compile less and keep query plans: half the processor time to ready, but slower "
        "under a long load, with plans made for little data (for tests)",
    )
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds to wait for ready")
    parser.add_argument("--json", action="store_true", help="print what is known as JSON")
    parser.add_argument(
        "--kill", action="store_true", help="stop: end it at once, as a crash would"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
