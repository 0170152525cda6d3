"""The ways in: REST, MCP over Streamable HTTP, and the stdio bridge."""
