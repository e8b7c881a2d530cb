"""Tables are placed for a server, and how full each server is stands in a row of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the column, its index and the table."""
    assigned = sa.text("assigned IS NOT NULL")
    op.add_column("tables", sa.Column("assigned", sa.Text))
    op.create_index("tables_by_assigned", "tables", ["assigned"], postgresql_where=assigned, sqlite_where=assigned)
    op.create_table(
        "server_loads",
        sa.Column("server_id", sa.Text, nullable=False),
        sa.Column("tables", sa.Integer, server_default="0", nullable=False),
        sa.Column("most", sa.Integer, nullable=False),
        sa.Column("granted", sa.Integer, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("server_id"),
    )
    op.drop_column("table_servers", "tables")
    op.add_column("table_servers", sa.Column("lifeline", sa.Text))


def downgrade() -> None:
    """Drop them; tables that wait for their server wait for any."""
    op.drop_column("table_servers", "lifeline")
    op.add_column("table_servers", sa.Column("tables", sa.Integer, server_default="0", nullable=False))
    op.drop_table("server_loads")
    op.drop_index("tables_by_assigned", "tables")
    op.drop_column("tables", "assigned")
