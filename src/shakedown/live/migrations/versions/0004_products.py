"""Products of files with earlier ones, on metered boards."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "products",
        sa.Column("submission_id", _ID, sa.ForeignKey("submissions.id"), primary_key=True),
        sa.Column("products", sa.LargeBinary, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER products_append_only BEFORE UPDATE OR DELETE OR TRUNCATE "
            "ON products EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER products_no_{change.lower()} BEFORE {change} ON products "
            "BEGIN SELECT RAISE(ABORT, 'products is append-only'); END"
        )
