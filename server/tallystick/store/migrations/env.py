"""Alembic's entry: runs the migrations on the connection that migrate.py hands over, all in one transaction."""

from alembic import context

connection = context.config.attributes["connection"]
with connection.begin():
    # The connection is in autocommit mode, so the transaction is begun by hand. Alembic sees that there is one around it and
    # begins none of its own: either every step is made, or none is.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    context.configure(connection=connection, render_as_batch=True)
    context.run_migrations()
