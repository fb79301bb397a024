"""The driver, with Neo4j's errors turned into ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
from neo4j import exceptions

from bitempo.engine.errors import (
    InvalidInputError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreReadOnlyError,
)
from bitempo.engine.store.neo4j.address import Address, Options

_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOut",
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    "Neo.ClientError.Transaction.LockClientStopped",
    "Neo.ClientError.Transaction.Terminated",
)
_READ_ONLY = (
    "Neo.ClientError.Security.Forbidden",
    "Neo.ClientError.Statement.AccessMode",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
)
_SIGN_IN = (
    "set BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD, or put them in the location "
    "(bolt://user:password@host:7687)"
)


@contextmanager
def translated(uri: str) -> Iterator[None]:
    """Raise the driver's errors as bitempo's, with what to do about them."""
    try:
        yield
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise _ours(uri, error) from error


def connect(address: Address, options: Options) -> neo4j.Driver:
    """A driver that has spoken to the server once.

    Raises:
        StoreError: the server cannot be reached or refuses the user and password.
        InvalidInputError: the address is malformed.
    """
    auth = (address.user or "neo4j", address.password) if address.password else None
    with translated(address.uri):
        try:
            driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=auth,
                max_connection_pool_size=options.pool_size,
                connection_timeout=options.connect_timeout,
                # To connect, and to be greeted or get a connection that others gave back.
                connection_acquisition_timeout=2 * options.connect_timeout,
                max_transaction_retry_time=options.retry_time,
                # A connection that a restarted server dropped is found out before it is used.
                liveness_check_timeout=5,
                notifications_min_severity="OFF",
                user_agent="bitempo",
            )
        except ValueError as error:
            raise InvalidInputError(f"{address.uri} is no address of a server: {error}") from error
        try:
            driver.verify_connectivity()
        except BaseException:
            driver.close()
            raise
        return driver


def _ours(uri: str, error: exceptions.Neo4jError | exceptions.DriverError) -> Exception:
    if isinstance(error, exceptions.Neo4jError):
        return _from_server(uri, error)
    if isinstance(error, exceptions.IncompleteCommit):
        return StoreError(
            f"{uri}: the connection was lost while a write was committed, and it is not known "
            "whether it got there; do the same again, which changes nothing if it did"
        )
    if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired):
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        return StoreError(
            f"{uri} cannot be reached; check that the server runs, and the address ({reason})"
        )
    if isinstance(error, exceptions.ConnectionAcquisitionTimeoutError):
        return StoreBusyError(
            f"all connections to {uri} are in use; raise pool_size in the location "
            "(?pool_size=100), or use fewer threads"
        )
    if "closed" in str(error).lower():
        return StoreClosedError(f"{uri} is closed; open it again")
    return StoreError(f"{uri}: {error}")


def _from_server(uri: str, error: exceptions.Neo4jError) -> Exception:
    if isinstance(error, exceptions.AuthError) and error.code not in _READ_ONLY:
        return StoreError(f"{uri} does not accept the user and password; {_SIGN_IN}")
    if error.code == _NO_DATABASE:
        return StoreError(
            f"{uri} has no such database ({error.message}); the path of the location names it, "
            "and without a path it is the server's default"
        )
    if error.code in _READ_ONLY:
        return StoreReadOnlyError(f"{uri} may not be written to: {error.message}")
    if error.code in _TIMED_OUT:
        return StoreBusyError(
            f"{uri} ended a transaction; if it took too long, raise transaction_timeout in the "
            f"location or write less at once; if the server is stopping, try again later "
            f"({error.message})"
        )
    if "too large to index" in (error.message or ""):
        return InvalidInputError(
            f"an id or a name is too long for the indexes of {uri}, which take 8,000 bytes"
        )
    if isinstance(error, exceptions.TransientError):
        return StoreBusyError(f"{uri} could not finish in time ({error.message}); try again")
    return StoreError(f"{uri}: {error.message}")
