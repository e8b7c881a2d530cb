"""Alembic's door: runs the revisions on the connection that it is given."""

from alembic import context

from gouji.serving.schema import metadata


def run() -> None:
    """Run the revisions that Alembic chose."""
    context.configure(
        connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
    )
    context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic loads this file
    run()
