"""`python -m codegen breaking`: does the working tree keep what the last release promised?

`release.py` says what a release promises and keeps the last one, `rules/` has one kind of change a file, `judge.py` says
which changes may stay.
"""
