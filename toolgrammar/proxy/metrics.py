"""Counts the requests and calls of a proxy, for Prometheus.

Example: a refused call of a model whose format is `mine` adds one to
`toolgrammar_proxy_refused_calls_total{code="echo",format="mine"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from toolgrammar.salvage.refusals import Refusal


class Metrics:
    """The counters of one proxy; no label contains text of a client or a model."""

    def __init__(self) -> None:
        # A registry of its own: in prometheus_client's global one a second proxy of the same
        # process would raise ValueError for duplicated names.
        registry = self._registry = CollectorRegistry()
        self.requests = Counter(
            "toolgrammar_proxy_requests",
            "Requests, by what became of them: rewritten or passed on, and the status.",
            ["kind", "status"],
            registry=registry,
        )
        self.calls = Counter(
            "toolgrammar_proxy_calls",
            "Calls that were read from text and handed out.",
            ["format"],
            registry=registry,
        )
        self.refused = Counter(
            "toolgrammar_proxy_refused_calls",
            "Calls that were read from text and left there, by the reason.",
            ["format", "code"],
            registry=registry,
        )
        self.upstream_errors = Counter(
            "toolgrammar_proxy_upstream_errors",
            "Requests that the upstream did not answer to the end.",
            ["code"],
            registry=registry,
        )
        self.disconnects = Counter(
            "toolgrammar_proxy_client_disconnects",
            "Clients that left before their answer had ended.",
            registry=registry,
        )
        self.open = Gauge(
            "toolgrammar_proxy_open_requests",
            "Requests that are being answered.",
            registry=registry,
        )
        self.seconds = Histogram(
            "toolgrammar_proxy_request_seconds",
            "How long requests took, to the end of their answers.",
            # Seconds. The default buckets end at 10, and a long answer of a model takes minutes.
            buckets=(0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
            registry=registry,
        )

    def count(self, format: str, refusal: Refusal | None) -> None:
        """Counts a call that was read from text."""
        if refusal is None:
            self.calls.labels(format).inc()
        else:
            self.refused.labels(format, refusal.code).inc()

    def text(self) -> bytes:
        """Returns all counters as Prometheus reads them."""
        return generate_latest(self._registry)
