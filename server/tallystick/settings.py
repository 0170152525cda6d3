"""The settings: the only reader of the environment (prefix TALLYSTICK_)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .home import HomeInvalid, resolve_home
from .linear.gateway import API

__all__ = ["TOOL_SETS", "HomeInvalid", "Settings", "resolve_home"]

TOOL_SETS = ("nexus", "memvault", "recall")


class Settings(BaseSettings):
    """Every setting of the server; each is read from TALLYSTICK_<NAME> and documented by its description."""

    model_config = SettingsConfigDict(env_prefix="TALLYSTICK_", extra="ignore", use_attribute_docstrings=True)

    home: Path = Field(default=None, validate_default=True)
    """Folder of the database, the vector index, logs and keys. `~` is expanded; relative paths are refused."""
    host: str = "127.0.0.1"
    """Address to listen on. Any other than loopback needs a key to exist first."""
    port: int = Field(default=8765, ge=0, le=65535)
    """Port to listen on; 0 takes a free one."""
    tools: Annotated[tuple[str, ...], NoDecode] = TOOL_SETS
    """Tool families offered over MCP, comma-separated: nexus, memvault, recall."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Host header values accepted beside loopback names and the address listened on, comma-separated; `name` or `name:port`."""
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Origin header values accepted from browsers, comma-separated, such as https://memory.example."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What the server writes to standard error."""
    strict: bool = False
    """Check every answer against its response schema before it is sent (the tests run so)."""
    audit_text: bool = True
    """Write query and title, cut at 200 characters, into logs/mcp.log."""
    durability: Literal["normal", "full"] = "normal"
    """SQLite's synchronous mode: full also survives a power cut between two checkpoints."""
    linear_url: str = API
    """Where Linear's GraphQL API is; https, or http on this machine, since keys are sent there."""
    linear_timeout: float = Field(default=30.0, ge=0.1, le=300)
    """Seconds that one call may wait for Linear, all its requests together."""
    linear_keys: Annotated[dict[str, SecretStr], NoDecode] = {}
    """API keys of Linear by workspace label, such as AV=lin_api_...,JL=lin_api_...; others are connected and kept in the home."""
    public_url: str | None = None
    """Where people reach this server, such as https://memory.example: Linear then shows links to memories."""
    embedding_model: Path | None = None
    """Where the model's model.onnx lies, if not in the package that ships it; its checksum must be the same."""

    @field_validator("home", mode="before")
    @classmethod
    def _home(cls, value: str | os.PathLike[str] | None) -> Path:
        return resolve_home(value)

    @field_validator("tools", "allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("linear_url")
    @classmethod
    def _encrypted(cls, value: str) -> str:
        parts = urlsplit(value)
        local = parts.hostname in ("127.0.0.1", "::1", "localhost")
        if not parts.hostname or parts.scheme not in (("https", "http") if local else ("https",)):
            raise ValueError("it must begin with https://, or with http:// for this machine: keys are sent there")
        return value

    @field_validator("public_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value and not (value.startswith(("https://", "http://")) and urlsplit(value).hostname):
            raise ValueError("it must be an address such as https://memory.example")
        return value.rstrip("/") if value else None

    @field_validator("linear_keys", mode="before")
    @classmethod
    def _by_label(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if not all(label.strip() and key.strip() for label, _, key in pairs):
            raise ValueError("write LABEL=KEY, and a comma between two of them")  # without what was given: it is secret
        return {label.strip(): key.strip() for label, _, key in pairs}

    @field_validator("tools")
    @classmethod
    def _known_tools(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in TOOL_SETS]
        if unknown or not value:
            raise ValueError(f"unknown tool set {', '.join(unknown) or '(none)'}; known are {', '.join(TOOL_SETS)}")
        return value
