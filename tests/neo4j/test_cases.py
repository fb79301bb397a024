"""The black-box cases pass on a server too, from the command line."""

from __future__ import annotations

import pytest

from tests import cases
from tests.case_format import read_cases
from tests.neo4j.workload import ROOT
from tests.servers.running import Neo4jServer
from tests.shared import shared


@pytest.mark.parametrize("options", [[], ["--through-model"]], ids=["asserted", "through a model"])
def test_the_shared_cases_pass(
    server: Neo4jServer, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    path = shared("cases", "timeline.json")
    code = cases.main([str(path), "--store", server.location, *options])
    captured = capsys.readouterr()
    assert code == 0, captured.out + captured.err
    assert captured.out.count("ok  ") == len(read_cases(path)) > 10


def test_a_store_that_cannot_be_used_is_named_without_its_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = ROOT / "tests" / "data" / "cases_pass.json"
    assert cases.main([str(path), "--store", "bolt://neo4j:not-the-pass@127.0.0.1:1"]) == 2
    captured = capsys.readouterr()
    assert "bolt://127.0.0.1:1 cannot be used: bolt://127.0.0.1:1 cannot be reached" in captured.err
    assert "not-the-pass" not in captured.out + captured.err
