"""Connecting MCP clients: where each keeps its configuration, what belongs into it, and writing that without loss."""

from .clients import CLIENTS, Client
from .files import Refused
from .hooks import hook_command
from .part import Part, hook_part, server_part, write
from .places import claude_code_settings

__all__ = [
    "CLIENTS",
    "Client",
    "Part",
    "Refused",
    "claude_code_settings",
    "hook_command",
    "hook_part",
    "server_part",
    "write",
]
