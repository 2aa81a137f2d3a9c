"""Standard errors of released scores, on metered boards."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("releases", sa.Column("standard_error", sa.Double))
