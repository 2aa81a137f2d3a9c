"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_APPEND_ONLY = ("contents", "audit", "decisions", "releases", "submissions")


def upgrade() -> None:
    op.create_table(
        "contents",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "challenges",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("truth", sa.String(64), sa.ForeignKey("contents.sha256"), nullable=False),
    )
    op.create_table(
        "boards",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("challenge_id", _ID, sa.ForeignKey("challenges.id"), nullable=False),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("organiser_token", sa.String(64), nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("closed_at", sa.BigInteger),
    )
    op.create_table(
        "teams",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("board_id", _ID, sa.ForeignKey("boards.id"), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("token", sa.String(64)),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("board_id", "name"),
    )
    op.create_table(
        "states",
        sa.Column("board_id", _ID, sa.ForeignKey("boards.id"), primary_key=True),
        sa.Column("account", sa.String(200), primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_table(
        "submissions",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("board_id", _ID, sa.ForeignKey("boards.id"), nullable=False),
        sa.Column("team_id", _ID, sa.ForeignKey("teams.id"), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("account", sa.String(200), nullable=False),
        sa.Column("account_number", sa.Integer, nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("content", sa.String(64), sa.ForeignKey("contents.sha256"), nullable=False),
        sa.UniqueConstraint("team_id", "key"),
        sa.UniqueConstraint("team_id", "number"),
        sa.UniqueConstraint("board_id", "account", "account_number"),
    )
    op.create_table(
        "decisions",
        sa.Column("submission_id", _ID, sa.ForeignKey("submissions.id"), primary_key=True),
        sa.Column("accepted", sa.Boolean, nullable=False),
        sa.Column("refused", sa.Boolean, nullable=False),
        sa.Column("in_force", sa.Integer, nullable=False),
        sa.Column("score_public", sa.Double, nullable=False),
        sa.Column("score_final", sa.Double, nullable=False),
    )
    op.create_table(
        "releases",
        sa.Column("submission_id", _ID, sa.ForeignKey("submissions.id"), primary_key=True),
        sa.Column("released", sa.Double),
    )
    op.create_table(
        "audit",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("board_id", _ID, sa.ForeignKey("boards.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.UniqueConstraint("board_id", "number"),
    )
    _forbid_changes()


def _forbid_changes() -> None:
    """Triggers that refuse to change or delete rows."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
        )
    for table in _APPEND_ONLY:
        if op.get_bind().dialect.name == "postgresql":
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE "
                f"ON {table} EXECUTE FUNCTION refuse_change()"
            )
            continue
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
