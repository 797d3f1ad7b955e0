"""Sends requests to the upstream server, and converts failures to errors of OpenAI's API.

Example: a server that refuses the connection gives `UpstreamError(502, "upstream_unreachable", …)`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import aiohttp
import anyio
from multidict import CIMultiDict
from yarl import URL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

Header = tuple[bytes, bytes]
# RFC 9110, section 7.6.1: they concern one connection, and each side has its own.
_OF_CONNECTION: Final = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization"),
        *(b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
_OF_MESSAGE: Final = frozenset(
    {
        *(b"authorization", b"content-encoding", b"content-length", b"content-type"),
        *(b"api-key", b"x-api-key", b"accept", b"cookie", b"set-cookie", b"location"),
    }
)
"""The headers that stay even if `Connection` names them: without them a body can't be read, or is
somebody else's."""
_OF_BODY: Final = frozenset({b"content-length", b"content-encoding", b"etag", b"digest"})
"""The headers that no longer apply to a body that was rewritten."""
_SLASH: Final = r"(?:[/\\]|%(?:25)*(?:2f|5c))"
_DOTS: Final = re.compile(rf"(?:^|{_SLASH})(?:\.|%(?:25)*2e){{1,2}}(?:;|$|{_SLASH})", re.IGNORECASE)
"""A segment `.` or `..`, also percent-encoded, with which a path may leave the upstream's."""
_TARGET: Final = re.compile(r"[!-\"$-~]+")
"""The characters of a path and a query in a request: no line end, no fragment."""
_ADDED: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that the HTTP client would add itself; only the headers of the client are forwarded."""
_IDLE: Final = 2.0
"""Seconds that an unused connection is kept. Many servers close theirs after 5, and a request that
is sent meanwhile is lost: it can't be repeated, since the server may have read it."""
_READ_AHEAD: Final = 1
"""Bytes that are read before the previous ones were passed on. With more, an upstream that breaks
off would discard the bytes that a slow client has not read yet."""
_LONGEST_HEADER: Final = 65536
"""The maximal length in bytes of a line in an answer's head."""


class BadRequestError(Exception):
    """A request that can't be forwarded."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class UpstreamError(Exception):
    """The upstream did not answer, or not completely."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        """The status for the client."""
        self.code = code
        """The cause as a code."""
        self.message = message
        """The cause as a sentence, which contains neither addresses nor keys."""


class Upstream:
    """The server behind a proxy."""

    def __init__(self, url: str, *, timeout: float, connect_timeout: float = 10.0) -> None:
        """Sets up the connections to a server.

        Args:
            url: its address, with or without `/v1` at its end.
            timeout: the seconds without a byte after which an answer is abandoned.
            connect_timeout: the seconds after which a connection attempt is abandoned.

        Raises:
            ValueError: the address is not an HTTP address.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError(
                f"the upstream must be an http:// or https:// address, got {url!r:.80}"
            )
        self._url = URL(url)
        self._key = _basic(self._url)
        self._timeout = timeout
        self._timeouts = aiohttp.ClientTimeout(
            total=None, connect=connect_timeout, sock_read=timeout
        )
        self._session: aiohttp.ClientSession | None = None

    def _opened(self) -> aiohttp.ClientSession:
        """Returns the session, which belongs to the event loop that runs when it is opened."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # As many connections as clients: a limit here would be an invisible queue.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE),
                timeout=self._timeouts,
                # Many clients share the connections: the cookies of one must not be sent for
                # another.
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=_ADDED,
                auto_decompress=False,
                read_bufsize=_READ_AHEAD,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session

    async def close(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()

    @asynccontextmanager
    async def ask(
        self, method: str, address: URL, headers: Iterable[Header], body: bytes
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yields the answer to a request before its body is read; leaving closes the connection.

        Raises:
            UpstreamError: there is no answer, or its body breaks off.
        """
        try:
            # The session's own timeouts begin only after the request was written.
            with anyio.fail_after(self._timeout):
                response = await self._opened().request(
                    method,
                    address,
                    headers=self._encodable(headers),
                    # In parts: a long body would block all other streams.
                    data=BytesIO(body) if body else None,
                    allow_redirects=False,
                )
            try:
                yield response
            finally:
                response.close()
        except aiohttp.ConnectionTimeoutError:
            raise UpstreamError(504, "upstream_timeout", "the upstream can't be reached") from None
        except TimeoutError:
            message = "the upstream did not answer in time"
            raise UpstreamError(504, "upstream_timeout", message) from None
        except aiohttp.ClientConnectorError:
            message = "the upstream can't be reached"
            raise UpstreamError(502, "upstream_unreachable", message) from None
        # Its message may contain the address, and that a password.
        except aiohttp.ClientError as problem:
            message = f"the upstream broke off ({type(problem).__name__})"
            raise UpstreamError(502, "upstream_ended", message) from None

    def _encodable(self, headers: Iterable[Header]) -> CIMultiDict[str]:
        # Headers are written as UTF-8; others can't be passed on unchanged.
        found = CIMultiDict(
            (name.decode("latin-1"), value.decode(errors="replace")) for name, value in headers
        )
        if self._key is not None:
            found["authorization"] = self._key
        return found

    def address(self, path: str, query: str) -> URL:
        """Returns the address of a path at the upstream, and of no other server.

        Raises:
            ValueError: the path is invalid, or leaves the upstream's.
        """
        # After `http://host/v1` a path without its slash would extend the segment: `/v1models`.
        if not path.startswith("/") or _DOTS.search(path):
            raise ValueError("the path must begin with / and have no segments of dots")
        # Both `http://host` and `http://host/v1` are commonly written.
        base = self._url.raw_path.rstrip("/")
        if base.endswith("/v1") and path.startswith("/v1/"):
            base = base.removesuffix("/v1")
        target = f"{base}{path}?{query}" if query else f"{base}{path}"
        if not _TARGET.fullmatch(target):
            raise ValueError("the path can't be read")
        # A slash follows the server's address: what a client sends is never part of the
        # host.
        return URL(f"{self._url.origin()}{target}", encoded=True)


def _basic(url: URL) -> str | None:
    """Returns the header for user and password of an address; it replaces the client's."""
    if url.user is None and url.password is None:
        return None
    both = f"{url.user or ''}:{url.password or ''}".encode()
    return f"Basic {b64encode(both).decode('ascii')}"


def without_keys(url: str) -> str:
    """Returns an address in a form for display: without user, password and query."""
    return str(URL(url).with_user(None).with_query(None).with_fragment(None))


def request_headers(headers: Iterable[Header], *, rewritten: bool) -> list[Header]:
    """Returns the headers of a client for the upstream; its keys are among them."""
    given = list(headers)
    dropped = _of_connection(given) | {b"host", b"content-length", b"expect"}
    kept = [(name, value) for name, value in given if name.lower() not in dropped]
    if not rewritten:
        return kept
    # A body that is to be read must not be compressed.
    kept = [(name, value) for name, value in kept if name.lower() != b"accept-encoding"]
    return [*kept, (b"accept-encoding", b"identity")]


def response_headers(response: aiohttp.ClientResponse, *, rewritten: bool) -> list[Header]:
    """Returns the headers of the upstream for the client."""
    # The server of the proxy adds its own date.
    given = response.raw_headers
    dropped = _of_connection(given) | {b"date"} | (_OF_BODY if rewritten else frozenset())
    return [(name.lower(), value) for name, value in given if name.lower() not in dropped]


def _of_connection(headers: Iterable[Header]) -> frozenset[bytes]:
    """Returns the names of headers that concern one connection, with those it names itself."""
    values = [value for name, value in headers if name.lower() == b"connection"]
    named = {name.strip().lower() for value in values for name in value.split(b",")}
    return _OF_CONNECTION | (named - _OF_MESSAGE)
