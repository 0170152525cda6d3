"""Tallystick: one self-hosted memory behind all AI agents, with its contract as the source of truth."""

__version__ = "0.1.0"
