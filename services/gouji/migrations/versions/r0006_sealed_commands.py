"""Commands are sealed: a hash of what one says, in clear, would tell it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0004"


def upgrade() -> None:
    """Drop the hash."""
    op.drop_column("table_commands", "payload_hash")


def downgrade() -> None:
    """Have the column again; hashes of commands that were accepted before are lost."""
    op.add_column("table_commands", sa.Column("payload_hash", sa.LargeBinary, nullable=False, server_default=""))
