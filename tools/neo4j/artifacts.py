"""The server's jars, out of Maven's cache, and our class that starts it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import java_runtime
from java_runtime import UnavailableError

LONG_TERM_SUPPORT = "5.26.28"
HERE = Path(__file__).resolve().parent
SOURCE = HERE / "Neo4jServer.java"


def jars(version: str, cache: Path) -> Path:
    """The folder with the jars of a version; fetched by Maven the first time.

    Raises:
        UnavailableError: Maven is missing, or cannot reach or find the version.
    """
    folder = cache / f"jars-{version}"
    if folder.exists():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise UnavailableError(
            "Maven (mvn) fetches the server's jars and was not found; install Maven and a JDK 17"
        )
    print(f"fetching the jars of Neo4j {version} (about 150 MB the first time)", file=sys.stderr)
    partial = _emptied(cache / f"jars-{version}.partial")
    command = [
        *(maven, "--quiet", "--batch-mode", "--file", str(HERE / "pom.xml")),
        "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies",
        *(f"-Dneo4j.version={version}", "-DincludeScope=runtime", f"-DoutputDirectory={partial}"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(partial)
        raise UnavailableError(
            f"Maven could not fetch Neo4j {version}; its cache lacks it and the network or the "
            f"version may be at fault:\n{_first_errors(done.stdout)}"
        )
    partial.rename(folder)
    return folder


def launcher(version: str, cache: Path) -> Path:
    """The folder with our compiled class; compiled again when its source changes.

    Raises:
        UnavailableError: there is no Java compiler.
    """
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    folder = cache / f"classes-{digest}"
    if folder.exists():
        return folder
    compiler = java_runtime.compiler()
    # An older compiler cannot read the newer jars; the class is the same for all versions.
    readable = compiler.major >= java_runtime.supported_majors(version).start
    against = jars(version if readable else LONG_TERM_SUPPORT, cache)
    partial = _emptied(cache / f"classes-{digest}.partial")
    command = [str(compiler.compiler), "--release", "17", "-d", str(partial)]
    command += ["-classpath", f"{against}/*", str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{SOURCE.name} does not compile:\n{done.stderr or done.stdout}")
    partial.rename(folder)
    return folder


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _first_errors(output: str) -> str:
    errors = [line for line in output.splitlines() if "ERROR" in line]
    return "\n".join(errors[:3])
