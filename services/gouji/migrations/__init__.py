"""The database's history, run by Alembic from within `gouji.serving.database`."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext

LOCK = 0x676F756A69
"""Advisory lock of PostgreSQL that a process holds while it migrates."""


def upgrade(connection: sa.Connection, revision: str) -> None:
    """Bring the tables to a revision, within the connection's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: sa.Connection, revision: str) -> None:
    """Take the tables back to a revision, within the connection's transaction."""
    command.downgrade(_config(connection), revision)


def current(connection: sa.Connection) -> str | None:
    """Say which revision the tables have."""
    return MigrationContext.configure(connection).get_current_revision()


def _config(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    return config
