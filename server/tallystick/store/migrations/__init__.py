"""Migrations of the database, run by store/migrate.py; one revision a file in versions/."""
