"""The driver, with Neo4j's errors turned into ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

import neo4j
from neo4j import exceptions

from bitempo.engine.errors import StoreBusyError, StoreClosedError, StoreError


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and how to sign in, taken from a location.

    `bolt://user:password@host:7687/database`; the user, the password and the database may be
    left out of it and given apart.
    """

    uri: str
    user: str | None
    password: str | None
    database: str | None

    @classmethod
    def parse(cls, location: str) -> Address:
        """The parts of a location; credentials do not stay in `uri`."""
        parts = urlsplit(location)
        host = parts.netloc.rpartition("@")[2]
        return cls(
            uri=urlunsplit((parts.scheme, host, "", parts.query, "")),
            user=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
            database=parts.path.strip("/") or None,
        )


@contextmanager
def translated(uri: str) -> Iterator[None]:
    """Raise the driver's errors as bitempo's, with what to do about them."""
    try:
        yield
    except exceptions.AuthError as error:
        raise StoreError(
            f"{uri} does not accept the user and password; set BITEMPO_NEO4J_USER and "
            "BITEMPO_NEO4J_PASSWORD, or put them in the location"
        ) from error
    except exceptions.TransientError as error:
        raise StoreBusyError(
            f"{uri} could not finish in time ({error.message}); try again"
        ) from error
    except exceptions.ClientError as error:
        if error.code == "Neo.ClientError.Database.DatabaseNotFound":
            raise StoreError(f"{uri} has no such database: {error.message}") from error
        raise StoreError(f"{uri}: {error.message}") from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired) as error:
        raise StoreError(
            f"{uri} cannot be reached ({error}); check that the server runs and the address"
        ) from error
    except exceptions.ConfigurationError as error:
        raise StoreError(f"{uri}: {error}") from error
    except exceptions.DriverError as error:
        if "closed" in str(error).lower():
            raise StoreClosedError(f"{uri} is closed; open it again") from error
        raise StoreError(f"{uri}: {error}") from error
    except exceptions.Neo4jError as error:
        raise StoreError(f"{uri}: {error.message}") from error


def connect(
    address: Address, *, pool_size: int, connect_timeout: float, retry_time: float
) -> neo4j.Driver:
    """A driver that has spoken to the server once."""
    auth = (address.user or "neo4j", address.password) if address.password else None
    with translated(address.uri):
        driver = neo4j.GraphDatabase.driver(
            address.uri,
            auth=auth,
            max_connection_pool_size=pool_size,
            connection_timeout=connect_timeout,
            connection_acquisition_timeout=max(connect_timeout, retry_time),
            max_transaction_retry_time=retry_time,
            # A connection that a restarted server dropped is found out before it is used.
            liveness_check_timeout=5,
            notifications_min_severity="OFF",
            user_agent="bitempo",
        )
        try:
            driver.verify_connectivity()
        except BaseException:
            driver.close()
            raise
        return driver
