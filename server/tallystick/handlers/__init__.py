"""The handlers: one class a group of operations, typed request in, typed response out."""

from __future__ import annotations

from collections.abc import Callable

from ..caller import Authenticator
from ..linear import Gateway, Workspaces
from ..metrics import Metrics
from ..store import Store
from .batch import Batch, Carry
from .facts import Facts
from .health import Health
from .help import Help
from .index import Index
from .keys import Keys
from .linear import Linear
from .memories import Memories
from .personas import Personas
from .sessions import Sessions
from .tasks import Tasks
from .vault import Vault
from .workspaces import WorkspaceKeys


class AllHandlers:
    """Every group, as the generated `Handlers` protocol names them."""

    def __init__(
        self,
        store: Store,
        authenticator: Authenticator,
        metrics: Metrics,
        carry: Callable[[], Carry],
        gateway: Gateway,
        workspaces: Workspaces,
        public_url: str | None,
    ) -> None:
        self.memories = Memories()
        self.facts = Facts()
        self.personas = Personas()
        self.help = Help()
        self.keys = Keys(authenticator)
        self.index = Index()
        self.health = Health(store, metrics)
        self.vault = Vault()
        self.sessions = Sessions()
        self.tasks = Tasks()
        self.batch = Batch(carry)
        self.linear = Linear(gateway, workspaces, public_url)
        self.workspaces = WorkspaceKeys(gateway, workspaces)
