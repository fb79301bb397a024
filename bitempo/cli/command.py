"""How a function becomes a command that also takes the global options after its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from bitempo.cli.failure import OK, abandon_output
from bitempo.cli.invocation import Invocation

_PANEL = "Global options"

Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PATH_OR_URL",
        help="The memory: a file, sqlite:///file, or a server such as bolt://host:7687. "
        "Default: BITEMPO_STORE, or bitempo.db.",
        rich_help_panel=_PANEL,
    ),
]
TenantName = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        metavar="NAME",
        help="Whose memory it is; required. Default: BITEMPO_TENANT.",
        rich_help_panel=_PANEL,
    ),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="A TOML file that says which predicates hold one value. Default: BITEMPO_POLICY.",
        rich_help_panel=_PANEL,
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="What makes vectors: static, minilm, openai:MODEL, onnx:FOLDER or none. "
        "Default: BITEMPO_EMBEDDER, or none.",
        rich_help_panel=_PANEL,
    ),
]
Reranker = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        metavar="NAME",
        help="What puts the answers of recall in a better order: endpoint:MODEL, onnx:FOLDER or "
        "none. Default: BITEMPO_RERANKER, or none.",
        rich_help_panel=_PANEL,
    ),
]
Rewriter = Annotated[
    str | None,
    typer.Option(
        "--rewriter",
        metavar="NAME",
        help="What makes a question clear before recall searches: endpoint:MODEL or none. "
        "Default: BITEMPO_REWRITER, or none.",
        rich_help_panel=_PANEL,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON, and only JSON, on standard output.", rich_help_panel=_PANEL
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=_PANEL)
]

GLOBAL_OPTIONS: dict[str, Any] = {
    "store": (Store, None),
    "tenant_name": (TenantName, None),
    "policy": (Policy, None),
    "embedder": (Embedder, None),
    "reranker": (Reranker, None),
    "rewriter": (Rewriter, None),
    "as_json": (AsJson, False),
    "debug": (Debug, False),
}
"""Their annotation and default, by the field of `Invocation` that they set."""

Body = Callable[..., None]


def command(app: typer.Typer, name: str) -> Callable[[Body], Body]:
    """Register a function whose first parameter is the `Invocation`.

    A parameter of a dataclass stands for its fields, each of which is an option. The global
    options can stand before the command's name or after it; the latter wins.
    """

    def register(body: Body) -> Body:
        def run(ctx: typer.Context, **values: Any) -> None:
            invocation: Invocation = ctx.obj
            for option in GLOBAL_OPTIONS:
                given = values.pop(option)
                if given is not None and given is not False:
                    setattr(invocation, option, given)
            for group, kind in groups.items():
                chosen = {field.name: values.pop(field.name) for field in fields(kind)}
                values[group] = kind(**chosen)
            try:
                body(invocation, **values)
            except BrokenPipeError:
                abandon_output()
                raise typer.Exit(OK) from None

        parameters = list(inspect.signature(body).parameters.values())[1:]
        hints = get_type_hints(body, include_extras=True)
        groups = {one.name: hints[one.name] for one in parameters if is_dataclass(hints[one.name])}
        own = [
            one.replace(annotation=hints[one.name]) for one in parameters if one.name not in groups
        ]
        own += [option for kind in groups.values() for option in _options(kind)]
        shared = [
            inspect.Parameter(
                option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for option, (annotation, default) in GLOBAL_OPTIONS.items()
        ]
        context = inspect.Parameter(
            "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
        )
        _describe(run, [context, *own, *shared])
        app.command(name, help=inspect.getdoc(body))(run)
        return body

    return register


def _options(kind: Any) -> list[inspect.Parameter]:
    """The fields of a dataclass as options."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]


def _describe(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Give the function the signature that typer is to read."""
    ordered = sorted(parameters, key=lambda one: one.kind)
    function.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in ordered}
