"""What a location says: the server, how to sign in, and how to use it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from bitempo.engine.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Options:
    """How to use a server; each can stand in the location, as in `bolt://host?pool_size=20`.

    pool_size: most connections that are open at once.
    connect_timeout: seconds to wait for a connection, and again for an answer on it.
    retry_time: seconds over which a write is tried again after a transient error, such as a lock
        or a server that restarts.
    index_timeout: seconds to wait, when opening, for indexes that are still being filled.
    transaction_timeout: seconds after which the server ends a transaction; 0 is the server's own
        setting.
    exact_vectors: up to how many vectors of a tenant are searched in memory, exactly; beyond them
        the server's vector index is asked.
    """

    pool_size: int = 50
    connect_timeout: float = 10.0
    retry_time: float = 30.0
    index_timeout: float = 300.0
    transaction_timeout: float = 0.0
    exact_vectors: int = 500_000

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            least = 1 if option.name == "pool_size" else 0
            if not least <= value < float("inf"):
                raise InvalidInputError(f"{option.name} must be {least} or more, not {value}")

    def given(self, pairs: dict[str, str]) -> Options:
        """These options with others in their place, as text.

        Raises:
            InvalidInputError: there is no such option, or its value is no number.
        """
        kinds = {option.name: type(getattr(self, option.name)) for option in fields(self)}
        changed = {}
        for name, text in pairs.items():
            if name not in kinds:
                raise InvalidInputError(
                    f"a location has no option {name!r}; there are {', '.join(kinds)}"
                )
            try:
                changed[name] = kinds[name](text)
            except ValueError:
                raise InvalidInputError(f"{name} must be a number, not {text!r}") from None
        return replace(self, **changed)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and how to sign in.

    `uri` holds no credentials, so that it can stand in messages.
    """

    uri: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None


def read_location(location: str, options: Options) -> tuple[Address, Options]:
    """The parts of `bolt://user:password@host:7687/database?option=value`.

    Whatever follows a `neo4j://` location and is no option of ours is its routing context, which
    stays in the address.

    Raises:
        InvalidInputError: it cannot be read; the message does not repeat it, for it may hold a
            password.
    """
    try:
        parts = urlsplit(location)
        host = parts.netloc.rpartition("@")[2]
        _ = parts.port
    except ValueError:
        raise InvalidInputError(_MALFORMED) from None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment or not host:
        raise InvalidInputError(_MALFORMED)
    pairs = dict(parse_qsl(parts.query, keep_blank_values=True))
    ours = {option.name for option in fields(Options)}
    context = {}
    if parts.scheme.startswith("neo4j"):
        context = {name: pairs.pop(name) for name in list(pairs) if name not in ours}
    address = Address(
        uri=urlunsplit((parts.scheme, host, "", urlencode(context), "")),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        database=unquote(parts.path.strip("/")) or None,
    )
    return address, options.given(pairs)


_MALFORMED = (
    "the location of the server cannot be read; write bolt://user:password@host:7687/database, "
    "with special characters of the user and the password percent-encoded (@ is %40, / is %2F)"
)
