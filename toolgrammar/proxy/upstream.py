"""Asks the server behind a proxy, and says in OpenAI's words what went wrong.

A server that refuses the connection gives `UpstreamError(502, "upstream_unreachable", …)`.
"""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

Header = tuple[bytes, bytes]
# RFC 9110, section 7.6.1: they speak of one connection, and each side has its own.
_OF_CONNECTION: Final = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization"),
        *(b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
_OF_BODY: Final = frozenset({b"content-length", b"content-encoding", b"etag", b"digest"})
"""What is no longer true of a body that was rewritten."""
_SLASH: Final = r"(?:[/\\]|%(?:25)*(?:2f|5c))"
_DOTS: Final = re.compile(rf"(?:^|{_SLASH})(?:\.|%(?:25)*2e){{1,2}}(?:;|$|{_SLASH})", re.IGNORECASE)
"""A segment `.` or `..`, also percent-encoded: with it a path may leave the upstream's."""


_IDLE: Final = 2.0
"""Seconds that an unused connection is kept. Many servers close theirs after 5, and a request that
meets the closing of its connection is lost: it can't be repeated, since it may have been read."""


class UpstreamError(Exception):
    """The upstream did not answer, or not to the end."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        """The status for the client."""
        self.code = code
        """What went wrong, for programs."""
        self.message = message
        """The same for people; it names neither addresses nor keys."""


class Upstream:
    """The server behind a proxy."""

    def __init__(self, url: str, *, timeout: float, connect_timeout: float = 10.0) -> None:
        """Sets up the connections to a server.

        Args:
            url: its address, with or without `/v1` at its end.
            timeout: the seconds without a byte after which an answer is given up.
            connect_timeout: the seconds after which a connection is given up.

        Raises:
            ValueError: the address is none of HTTP.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError(
                f"the upstream must be an http:// or https:// address, got {url!r:.80}"
            )
        self._url = httpx.URL(url.rstrip("/"))
        self.client = httpx.AsyncClient(
            timeout=httpx.Timeout(timeout, connect=connect_timeout, pool=None),
            # As many connections as clients: a limit here would be a queue that nobody sees.
            limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=64, keepalive_expiry=_IDLE
            ),
            # Neither proxies nor a `.netrc` of the environment: keys go to the upstream alone.
            trust_env=False,
            # Many clients share the connections: the cookies of one are none of another's.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
        )

    @asynccontextmanager
    async def ask(
        self, method: str, address: httpx.URL, headers: Iterable[Header], body: bytes
    ) -> AsyncIterator[httpx.Response]:
        """Gives the answer to a request, of which no body was read; its end closes the connection.

        Raises:
            UpstreamError: there is no answer, or its body breaks off.
        """
        try:
            request = self.client.build_request(
                method, address, headers=list(headers), content=body
            )
            response = await self.client.send(request, stream=True)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx.ConnectTimeout:
            raise UpstreamError(504, "upstream_timeout", "the upstream can't be reached") from None
        except httpx.TimeoutException:
            message = "the upstream did not answer in time"
            raise UpstreamError(504, "upstream_timeout", message) from None
        except httpx.ConnectError:
            message = "the upstream can't be reached"
            raise UpstreamError(502, "upstream_unreachable", message) from None
        # Its text may hold the address, and that a password.
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as problem:
            message = f"the upstream broke off ({type(problem).__name__})"
            raise UpstreamError(502, "upstream_ended", message) from None

    def address(self, path: str, query: str) -> httpx.URL:
        """Returns the address of a path at the upstream, and of no other server.

        Raises:
            ValueError: no path, or one that leaves the upstream's.
        """
        # Behind `http://host/v1` a path without its slash would make another one: `/v1models`.
        if not path.startswith("/") or _DOTS.search(path):
            raise ValueError("the path must begin with / and have no segments of dots")
        # Both `http://host` and `http://host/v1` are commonly written.
        base = self._url.raw_path.decode("ascii").rstrip("/")
        if base.endswith("/v1") and path.startswith("/v1/"):
            base = base.removesuffix("/v1")
        target = f"{base}{path}?{query}" if query else f"{base}{path}"
        try:
            # Only the path is replaced: what a client writes never becomes a part of the host.
            found = self._url.copy_with(raw_path=target.encode("latin-1"))
        except (httpx.InvalidURL, ValueError) as problem:
            raise ValueError("the path can't be read") from problem
        if _server(found) != _server(self._url):
            raise ValueError("the path is one of another server")
        return found


def _server(url: httpx.URL) -> tuple[str, bytes, str, int | None]:
    return url.scheme, url.userinfo, url.host, url.port


def without_keys(url: str) -> str:
    """Returns an address as it may be shown: without user, password and query."""
    return str(httpx.URL(url).copy_with(userinfo=b"", query=None, fragment=None))


def request_headers(headers: Iterable[Header], *, rewritten: bool) -> list[Header]:
    """Returns the headers of a client for the upstream; its keys are among them."""
    dropped = _OF_CONNECTION | {b"host", b"content-length", b"expect"}
    kept = [(name, value) for name, value in headers if name.lower() not in dropped]
    if not rewritten:
        return kept
    # A body that is to be read must not be packed.
    kept = [(name, value) for name, value in kept if name.lower() != b"accept-encoding"]
    return [*kept, (b"accept-encoding", b"identity")]


def response_headers(response: httpx.Response, *, rewritten: bool) -> list[Header]:
    """Returns the headers of the upstream for the client."""
    # The server of the proxy writes a date of its own.
    dropped = _OF_CONNECTION | {b"date"} | (_OF_BODY if rewritten else frozenset())
    return [
        (name.lower(), value) for name, value in response.headers.raw if name.lower() not in dropped
    ]
