"""What all definitions of tables begin with."""

import sqlalchemy as sa

metadata = sa.MetaData()

Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A number that the database gives out."""


def time(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """Make a column of moments."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)
