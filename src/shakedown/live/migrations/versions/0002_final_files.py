"""Final files that teams name, when a board's final table was published, and receipts."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("teams", sa.Column("final_key", sa.String(200)))
    op.add_column("boards", sa.Column("published_at", sa.BigInteger))
    op.create_index("audit_at", "audit", ["board_id", "at"])
