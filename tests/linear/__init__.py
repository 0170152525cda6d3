"""A Linear of our own, for tests and for trying the tools without an account; and the tests of contracts/linear."""
