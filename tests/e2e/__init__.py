"""Tests on real processes: the command line, the server, the stdio bridge."""
