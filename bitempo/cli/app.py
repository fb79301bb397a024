"""The commands put together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from bitempo.cli import (
    demo,
    embedding,
    graphs,
    ingesting,
    intervals,
    measuring,
    merging,
    reads,
    recalling,
    summaries,
    transfers,
    writes,
)
from bitempo.cli.command import (
    AsJson,
    Debug,
    Embedder,
    Policy,
    Reranker,
    Rewriter,
    Store,
    TenantName,
    command,
)
from bitempo.cli.failure import INTERRUPTED, OK, abandon_output, report
from bitempo.cli.invocation import Invocation

app = typer.Typer(
    name="bitempo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo.demo,
    "init": writes.init,
    "ingest": ingesting.ingest,
    "resume": ingesting.resume,
    "reextract": ingesting.reextract,
    "usage": ingesting.usage,
    "assert": writes.assert_,
    "retract": writes.retract,
    "cardinality": writes.cardinality,
    "merge": merging.merge,
    "unmerge": merging.unmerge,
    "merges": merging.merges,
    "reembed": embedding.reembed,
    "recall": recalling.recall,
    "replay": recalling.replay,
    "as-of": reads.as_of,
    "neighbours": reads.neighbours,
    "graph": graphs.graph,
    "paths": graphs.paths,
    "when": intervals.when,
    "relation": intervals.relation,
    "related": intervals.related,
    "count": summaries.count,
    "first": summaries.first,
    "last": summaries.last,
    "how-long": summaries.how_long,
    "history": reads.history,
    "diff": reads.diff,
    "why": reads.why,
    "entities": reads.entities,
    "stats": reads.stats,
    "export": transfers.export,
    "import": transfers.import_,
    "backup": transfers.backup,
    "restore": transfers.restore,
}

for _name, _body in _COMMANDS.items():
    command(app, _name)(_body)

bench = typer.Typer(help="Measure recall on files with questions and answers.")
command(bench, "locomo")(measuring.locomo)
command(bench, "longmemeval")(measuring.longmemeval)
app.add_typer(bench, name="bench")


@app.callback(invoke_without_command=True)
def _start(
    ctx: typer.Context,
    store: Store = None,
    tenant_name: TenantName = None,
    policy: Policy = None,
    embedder: Embedder = None,
    reranker: Reranker = None,
    rewriter: Rewriter = None,
    as_json: AsJson = False,
    debug: Debug = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """A bitemporal memory for agents: what is true, what was true, and what was known when.

    Start with: bitempo demo
    """
    invocation: Invocation = ctx.obj
    invocation.store = store
    invocation.tenant_name = tenant_name
    invocation.policy = policy
    invocation.embedder = embedder
    invocation.reranker = reranker
    invocation.rewriter = rewriter
    invocation.as_json = as_json
    invocation.debug = debug
    if version:
        from bitempo import __version__

        typer.echo(f"bitempo {__version__}")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def run(arguments: Sequence[str] | None) -> int:
    """Run one command line; see `bitempo.cli.main` for the exit codes."""
    invocation = Invocation()
    given = None if arguments is None else list(arguments)
    try:
        code = app(args=given, standalone_mode=False, obj=invocation)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except typer.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        abandon_output()
        return OK
    except Exception as error:  # noqa: BLE001 - whatever it is, one line and an exit code
        return report(error, debug=invocation.debug)
    return code if isinstance(code, int) and code else invocation.exit_code
