"""Two made-up organizations, AV and JL. The ids that the documentation's examples name are here, all else is made the same in every run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.linear.rows import Comment, Issue, Label, Project, State, Team, User, Workspace, made_id

KEYS = {"AV": "lin_api_" + "AvKeyOfTheTests0" * 2 + "AvKeyEnd", "JL": "lin_api_" + "JlKeyOfTheTests0" * 2 + "JlKeyEnd"}
"""By the label a workspace is connected under."""

NC_TEAM = "a0a14518-cdb4-4a17-912e-6d28e77a8d01"
NC_DONE = "61eb3529-20a8-44cc-b0a6-d773e3d74ad5"
BUG_LABEL = "bdddef24-39ce-45f9-bc2b-7497ffd8e6d5"

START = datetime(2026, 5, 1, 9, tzinfo=UTC)

STATES = [
    ("Triage", "triage"), ("Backlog", "backlog"), ("Todo", "unstarted"), ("In Progress", "started"),
    ("In Review", "started"), ("Done", "completed"), ("Canceled", "canceled"), ("Duplicate", "duplicate"),
]  # fmt: skip

LONG = "\n\n".join(
    [
        "## What happens\n\nThe export of a large workspace stops after the first thousand rows, and says it succeeded.",
        *(f"{step}. Export the workspace of customer {step:03}, count the rows, compare with the table." for step in range(1, 41)),
        "## What should happen\n\nAll rows, or an error that says how many are missing. The end of this text is marked: FIN.",
    ]
)  # fmt: skip

NAMED: list[tuple[int, str, str, list[str], dict[str, Any]]] = [
    (88, "Search returns results of the previous query", "In Progress", ["Bug", "Backend"], {"assignee": "mira"}),
    (90, "Login loops when the session cookie expires", "In Review", ["Bug", "launch-critical"], {"project": "Launch"}),
    (94, "Describe the rate limits in the reference", "Todo", ["launch-critical"], {"project": "Launch"}),
    (97, "Export stops after a thousand rows", "Todo", ["Bug", "launch-critical"], {"description": LONG}),
    (99, "Migrate the session table", "Canceled", ["Backend"], {}),
    (100, "Search shows old results", "Duplicate", ["Bug"], {}),
    (101, "Set up the launch checklist", "Done", ["launch-critical"], {"project": "Launch"}),
    (103, "CORS error from localhost", "In Progress", ["Bug", "Backend", "nexus-only"],
     {"project": "Launch", "assignee": "jonas", "priority": 2,
      "description": "API returns CORS failure when the frontend calls from localhost:3000"}),
]  # fmt: skip

TOPICS = ("Import of CSV files", "Dark mode", "Webhook retries", "Audit log", "Keyboard shortcuts", "Invoice layout")
STEPS = ("measure", "design", "build", "document", "test on phones")


def workspaces() -> dict[str, Workspace]:
    """Return both organizations by their API keys, newly made."""
    return {KEYS["AV"]: _averill(), KEYS["JL"]: _juniper_lane()}


def at(minutes: int) -> str:
    return (START + timedelta(minutes=minutes)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _averill() -> Workspace:
    space = Workspace(name="Averill Labs", urlKey="averill")
    people = [("Mira Okafor", "mira"), ("Jonas Lind", "jonas"), ("Ada Varga", "ada"), ("Old Account", "old")]
    users = {name: _user(space, full, name, active=name != "old") for full, name in people}
    _user(space, "Deploy Bot", "deploybot", app=True, isAssignable=False)
    users["mira"].admin = True
    nc = _team(space, "NC", "Nexus Catalyst", NC_TEAM, [users["mira"], users["jonas"], users["ada"]], done=NC_DONE)
    jun = _team(space, "JUN", "Juniper", made_id("averill", "JUN"), [users["ada"]], without="In Review")
    labels = {
        "Bug": _label(space, "Bug", id=BUG_LABEL, color="#eb5757"),
        "Backend": _label(space, "Backend"),
        "launch-critical": _label(space, "launch-critical", color="#f2994a"),
        "Launch-Critical": _label(space, "Launch-Critical", description="Made by mistake: the case is wrong."),
        "nexus-only": _label(space, "nexus-only", team=nc),
        "juniper-only": _label(space, "juniper-only", team=jun),
    }
    group = _label(space, "qa", isGroup=True)
    _label(space, "cleanup", parent=group)
    for number in range(1, 261):
        _label(space, f"customer-{number:03}")
    launch = _project(space, "Launch", [nc, jun], users["mira"], "started", "Everything the first release needs.")
    _project(space, "Search rewrite", [nc], users["jonas"], "planned", "One index, one ranking.")
    projects = {project.name: project for project in space.projects.values()}
    for number, title, state, names, more in NAMED:
        fields = {
            **more,
            "project": projects.get(more.get("project", "")),
            "assignee": users.get(more.get("assignee", "")),
        }
        _issue(space, nc, number, title, state, [labels[name] for name in names], **fields)
    taken = {number for number, *_ in NAMED}
    for number in (number for number in range(1, 131) if number not in taken):
        title = f"{TOPICS[number % len(TOPICS)]}: {STEPS[number // len(TOPICS) % len(STEPS)]}"
        tags = [labels["Backend"]] if number % 7 == 0 else []
        _issue(space, nc, number, title, STATES[number % len(STATES)][0], tags)
    tags = [labels["Bug"], labels["juniper-only"]]
    _issue(
        space, jun, 94, "Sync forgets renamed folders", "In Progress", tags, project=launch, priority=1,
        cycle={"id": made_id("cycle", 12), "name": "Cycle 12", "number": 12}, description="Seen since the last release.",
    )  # fmt: skip
    _issue(space, jun, 95, "Sync is slow over VPN", "Backlog", [], parent=space.issue("JUN-94"))
    for number in range(1, 61):
        _comment(space, space.issue("NC-103"), number, list(users.values())[number % 3])
    return space


def _juniper_lane() -> Workspace:
    """The other organization has a team with the same key and an issue with the same identifier: nothing may mix them up."""
    space = Workspace(name="Juniper Lane", urlKey="juniper-lane")
    theo = _user(space, "Theo Brandt", "theo", admin=True)
    nc = _team(space, "NC", "Northern Catalogue", made_id("juniper-lane", "NC"), [theo])
    bug = _label(space, "Bug")
    _issue(space, nc, 103, "Print catalogue has the wrong cover", "Todo", [bug])
    _issue(space, nc, 104, "Localhost preview shows old prices", "Done", [])
    _project(space, "Spring catalogue", [nc], theo, "started", "Printed by March.")
    return space


def _user(space: Workspace, name: str, short: str, **more: Any) -> User:
    id = made_id(space.urlKey, "user", short)
    email = f"{short}@{space.urlKey}.example"
    return space.users.setdefault(id, User(id=id, name=name, displayName=short, email=email, **more))


def _team(
    space: Workspace, key: str, name: str, id: str, people: list[User], done: str | None = None, without: str = ""
) -> Team:
    team = space.teams[id] = Team(id=id, key=key, name=name, description=f"The team {name}", people=people)
    for position, (state, kind) in enumerate(STATES):
        if state != without:
            one = done if state == "Done" and done else made_id(space.urlKey, key, state)
            space.states[one] = State(id=one, name=state, type=kind, team=team, position=position * 1000.0)
    return team


def _label(space: Workspace, name: str, id: str | None = None, team: Team | None = None, **more: Any) -> Label:
    one = id or made_id(space.urlKey, "label", name)
    return space.labels.setdefault(one, Label(id=one, name=name, team=team, **more))


def _project(space: Workspace, name: str, teams: list[Team], lead: User, kind: str, description: str) -> Project:
    id = made_id(space.urlKey, "project", name)
    status = {"id": made_id(space.urlKey, kind), "name": kind.capitalize(), "type": kind}
    label = Label(id=made_id(space.urlKey, "project label", name), name="Roadmap")
    project = Project(
        id=id, name=name, inTeams=teams, description=description, content=f"# {name}\n\n{description}", lead=lead,
        people=[lead], tags=[label], status=status, priority=2, startDate="2026-05-04", targetDate="2026-09-30",
        createdAt=at(0), updatedAt=at(0),
    )  # fmt: skip
    return space.projects.setdefault(id, project)


def _issue(space: Workspace, team: Team, number: int, title: str, state: str, tags: list[Label], **more: Any) -> None:
    found = next(row for row in space.states.values() if row.team is team and row.name == state)
    ended = {"completed": "completedAt", "canceled": "canceledAt", "duplicate": "canceledAt"}.get(found.type)
    more = {
        "createdAt": at(number * 60),
        "updatedAt": at(number * 60 + 30),
        "creator": space.viewer,
        "priority": 3,
        **more,
    }
    if ended:
        more[ended] = more["updatedAt"]
    id = made_id(space.urlKey, "issue", team.key, number)
    space.issues[id] = Issue(id=id, title=title, team=team, number=number, state=found, tags=tags, **more)
    team.issued = max(team.issued, number)


def _comment(space: Workspace, issue: Issue, number: int, user: User) -> None:
    id = made_id(space.urlKey, "comment", issue.number, number)
    parent = made_id(space.urlKey, "comment", issue.number, number - 1) if number % 5 == 0 else None
    body = f"Note {number}: " + (
        "tried with another origin, the preflight answer still lacks the header. " * (1 + number % 6)
    )
    when = at(20_000 + number)
    bot = {"name": "GitHub"} if number % 20 == 0 else None
    space.comments[id] = Comment(
        id=id, body=body.strip(), issue=issue, user=None if bot else user, botActor=bot, parentId=parent,
        createdAt=when, updatedAt=when,
    )  # fmt: skip
