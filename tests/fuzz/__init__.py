"""Schemathesis attacks the server with the contract: every operation, every phase and check, callers of several scopes."""
