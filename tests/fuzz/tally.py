"""What a campaign did: cases and failures of each operation, what was answered with success, which links were followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemathesis.engine import events
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.engine.run import PhaseName

ENGINE = "(engine)"


@dataclass
class Tally:
    """Counts by operation name.

    Attributes:
        names: the operations' names by Schemathesis's labels for them.
        cases: requests that were answered, those that a check sent included.
        succeeded: how many of them with success.
        failures: texts to act on, each fault once.
        followed: links whose next call succeeded, in full, as `POST /v1/keys -> [201] revoke -> DELETE /v1/keys/{key_id}`.
        scenarios: sequences of calls.
    """

    names: dict[str, str]
    cases: Counter[str] = field(default_factory=Counter)
    succeeded: Counter[str] = field(default_factory=Counter)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    scenarios: int = 0

    def take(self, stream: Iterable[events.EngineEvent]) -> None:
        """Count what happens."""
        for event in stream:
            match event:
                case events.ScenarioFinished():
                    self.scenarios += event.phase == PhaseName.STATEFUL_TESTING
                    self.scenario(event.recorder)
                case events.NonFatalError():
                    self.fail(self.names.get(event.label, ENGINE), str(event.value), f"{event.label}: {event.value}")
                case events.FatalError():
                    self.fail(ENGINE, repr(event.exception), repr(event.exception))
                case events.Interrupted():
                    self.fail(ENGINE, "interrupted", "interrupted")
                case events.EngineFinished():
                    for failure in event.failures:
                        self.fail(ENGINE, failure.title, failure.message)

    def fail(self, name: str, title: str, text: str) -> None:
        """Note a failure of an operation, unless it has one of that title."""
        self.failures.setdefault(name, {}).setdefault(title, text)

    def add(self, other: Tally) -> None:
        """Count what another campaign did as part of this one."""
        self.cases += other.cases
        self.succeeded += other.succeeded
        self.followed |= other.followed
        self.scenarios += other.scenarios
        for name, found in other.failures.items():
            for title, text in found.items():
                self.fail(name, title, text)

    def report(self) -> str:
        """Every failure, with what to send to see it again."""
        return "\n\n".join(
            f"{name}: {title}\n{text}" for name, found in sorted(self.failures.items()) for title, text in found.items()
        )

    def scenario(self, recorder: ScenarioRecorder) -> None:
        """Count what was sent together."""
        for case_id, node in recorder.cases.items():
            answer = recorder.find_response(case_id=case_id)
            if answer is None:
                continue
            name = self.names[node.value.operation.label]
            self.cases[name] += 1
            if not 200 <= answer.status_code < 300:
                continue
            self.succeeded[name] += 1
            if node.transition is not None:
                self.followed.add(node.transition.id)
        for case_id, checks in recorder.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    failure = check.failure_info.failure
                    name = self.names[recorder.cases[case_id].value.operation.label]
                    answer = recorder.find_response(case_id=failure.case_id or case_id)
                    shown = f"{answer.status_code} {answer.text[:1000]}" if answer is not None else "no answer"
                    text = f"{failure.message}\n{check.failure_info.code_sample}\n{shown}"
                    self.fail(name, f"{check.name}: {failure.title}", text)


def markdown(columns: dict[str, Tally], names: Iterable[str]) -> str:
    """A Markdown table: a row an operation, the cases of each caller, the failures of all."""
    lines = [f"| operation | {' | '.join(columns)} | failures |", f"|---|{'---:|' * (len(columns) + 1)}"]
    rows = [*sorted(names), *([ENGINE] if any(ENGINE in tally.failures for tally in columns.values()) else [])]
    for name in rows:
        cases = " | ".join(f"{tally.cases[name]:,}" for tally in columns.values())
        lines.append(f"| `{name}` | {cases} | {sum(len(tally.failures.get(name, ())) for tally in columns.values())} |")
    sums = " | ".join(f"{tally.cases.total():,}" for tally in columns.values())
    failures = sum(len(found) for tally in columns.values() for found in tally.failures.values())
    return "\n".join([*lines, f"| all | {sums} | {failures} |"])
