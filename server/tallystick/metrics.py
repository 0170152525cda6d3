"""What /metrics shows, in Prometheus' text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Counters of one server; each server has its own registry, so that several can live in one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "tallystick_calls", "Finished calls by operation and outcome (ok or an error code).",
            ["operation", "outcome"], registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "tallystick_call_seconds", "Time from a call's start on its thread to its answer.",
            ["operation"], buckets=BUCKETS, registry=self._registry,
        )  # fmt: skip
        self._behind = Gauge(
            "tallystick_index_behind", "Records whose vectors are not up to date yet.", registry=self._registry
        )

    def observe(self, operation: str, outcome: str, seconds: float) -> None:
        """Count one finished call."""
        self._calls.labels(operation, outcome).inc()
        self._seconds.labels(operation).observe(seconds)

    def render(self, behind: int) -> str:
        """The metrics page; `behind` is how many records wait for the indexer."""
        self._behind.set(behind)
        return generate_latest(self._registry).decode()
