"""How every command of README and docs is tested.

`python -m tests.docs.commands` lists the commands, and where each stands.
"""

import re

from tests.docs.markdown import BLOCK, TEXTS, blocks, name_of

#: Run as they stand, by `test_commands.py`, in an empty folder with the files that they name.
RUN = [
    "shakedown leak --rows 209 --board 'digest(eta=0.1,floor=0.5,every=100,updates=10)' "
    "--submissions 1000",
    "shakedown leak --rows 209 --board 'general_ladder(eta=0.1)+baseline' --submissions 1000 "
    "--floor 0.5",
    "shakedown leak --rows 209 --updates 10 --step 0.02 --metric accuracy --json",
    "shakedown leak --rows 209 --updates 4 --step 0.1 --floor 0.5 --submissions 100 --acceptance",
    "shakedown leak --rows 209 --noise 0.01 --submissions 1000",
    "shakedown leak --meter predictions.csv",
    "shakedown leak --meter predictions.csv --listing submissions.csv --noise-sd 0.05",
    "shakedown leak --meter simulated --rows 209 --submissions 50",
    "shakedown status",
    "shakedown components mechanism",
    "shakedown components mechanism my_boards.Coarse",
    "shakedown replicate config/test.yaml freedman 37 --dataset ad_like --design permuted",
    "shakedown board create results/my/recommendation.json --truth truth.csv",
]

#: Run by `test_commands.py`, too, but only in `make full`: each takes 10 to 150 seconds.
RUN_IN_FULL = [
    "shakedown reproduce config/test.yaml",
    "shakedown reproduce coarse.yaml",
    "shakedown reproduce mine.yaml",
]

#: Recipes of the Makefile, which `test_commands.py` has make print.
MADE = ["make reproduce", "make dryrun DATA=my.csv RESPONSE=y", "make test", "make docs"]

_TOUR = "tests/live/test_running_board.py::test_the_commands_work_in_their_order"
_DRY_RUN = "tests/cli/test_command.py::test_a_dry_run_writes_a_configuration_and_runs_it"
_SERVED = "tests/live/test_command.py::test_pages_demonstration_and_adapters_get_their_arguments"
_MOVED = "tests/live/test_postgresql.py::test_a_board_moves_and_comes_back_from_a_dump"

_SEVERAL = "tests/live/test_several.py::test_the_command_of_the_page_reads_a_pattern"

_WINNER = "tests/questions/test_winner.py::test_the_command_gives_the_same_answer_and_a_page"
_DESIGN = "tests/questions/test_design.py::test_the_command_gives_the_same_answer_and_a_page"
_DESIGN_OF_DATA = "tests/questions/test_design.py::test_the_command_reads_a_table_a_truth_and_files"
_DESIGN_OF_DRY_RUN = "tests/questions/test_design_of_dryrun.py::test_the_command_prints_it"
_NAMED = "tests/live/test_names_and_times.py::test_the_command_takes_names_and_events"

_INSTALLED = "tests/cli/test_installed.py::test_every_command_of_the_readme_works"

_PRICES = "tests/live/test_command.py::test_a_metered_board_tells_prices"
_LABELS = "tests/live/test_command.py::test_a_metered_board_of_labels_tells_prices"

_TO_A_WINNER = "tests/docs/test_olfaction.py::test_its_commands_go_from_the_answer_to_a_winner"

#: Run by another test, with the same words or, where that takes minutes, with smaller settings.
ELSEWHERE = {
    "python make_table.py": _TOUR,
    "python predict.py": _TOUR,
    "shakedown dryrun my.csv --response target --id id --split set --submissions 100 --minutes 4": (
        _TOUR
    ),
    "shakedown board create results/my/recommendation.json --truth my.csv --id id "
    "--response target --split set --opens 2026-01-01 --closes 2036-01-01 "
    "--zone Europe/Berlin": _TOUR,
    "shakedown board create results/my/recommendation.json --truth truth.csv --response 'att_*' "
    "--group mixture --public-share 0.3": _SEVERAL,
    "shakedown winner truth.csv files/*.csv --metric pearson --second spearman": _WINNER,
    "shakedown design my.csv --response y --metric mse": _DESIGN_OF_DATA,
    "shakedown design --dryrun results/my": _DESIGN_OF_DRY_RUN,
    "shakedown design --rows 300 --best 0.6 --spread 0.05 --correlation 0.7 --metric pearson "
    "--teams 20": _DESIGN,
    "shakedown board create --board 'general_ladder(eta=0.02)+baseline' --metric kappa "
    "--truth classes.csv --classes low,mid,high": _NAMED,
    "shakedown board create --board 'general_ladder(eta=0.02)+baseline' --metric c_index "
    "--truth times.csv --response days --event died": _NAMED,
    "shakedown board submit 'Team Ada' ada.csv --key ada-1": _TOUR,
    "shakedown board submit 'Team Bob' bob.csv": _TOUR,
    "shakedown board status": _TOUR,
    "shakedown board status --team 'Team Ada' --json": _TOUR,
    "shakedown board create --board 'metered(gain=0.05,files=300,chance=0.25)' --metric mse "
    "--truth truth.csv --per-team 300": _PRICES,
    "shakedown board create --board 'metered(gain=0.0125,files=50)' --metric brier "
    "--truth truth.csv --classes control,case --per-team 50": _LABELS,
    "shakedown board price 'Team Ada' file.csv": _PRICES,
    "shakedown board close": _TOUR,
    "shakedown board audit": _TOUR,
    "shakedown board export final": _TOUR,
    "shakedown board export final --second aupr --stratified --by-time": "tests/live/"
    "test_same_winner.py::test_the_command_takes_the_rule",
    "shakedown replay final/replay.yaml": "tests/live/test_export.py::"
    "test_a_replay_of_the_log_releases_what_the_board_did",
    "shakedown board backup backup.db": _TOUR,
    "shakedown board audit --url sqlite:///backup.db": _TOUR,
    "shakedown dryrun my.csv --response y": _DRY_RUN,
    "shakedown replay my_replay.yaml": "tests/workflow/test_replay.py::"
    "test_every_table_and_figure_is_there",
    "shakedown plan my.yaml": "tests/cli/test_plan.py::test_it_counts_the_jobs_and_writes_nothing",
    "shakedown plan my.yaml --cores 64": "tests/cli/test_plan.py::"
    "test_it_counts_the_jobs_and_writes_nothing",
    "shakedown board serve --port 8000": _SERVED,
    "shakedown board demo": "tests/live/test_demo.py::"
    "test_the_adversary_leads_in_public_and_loses_in_the_end",
    'curl -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: my-model-7" '
    "--data-binary @predictions.csv http://127.0.0.1:8000/api/submissions": (
        "tests/live/test_web.py::test_a_team_submits_by_form_and_by_program_and_sees_its_answers"
    ),
    "umask 077": _MOVED,
    "pg_dump --format=custom --file=board.dump postgresql://user@host/challenge": _MOVED,
    "pg_restore --clean --if-exists --dbname=postgresql://user@host/challenge board.dump": _MOVED,
    "createdb challenge": _MOVED,
    "shakedown board copy postgresql+psycopg://user@host/challenge": _MOVED,
    "export SHAKEDOWN_DATABASE=postgresql+psycopg://user@host/challenge": _MOVED,
    "shakedown reproduce my.yaml --profile profiles/slurm": "tests/workflow/test_slurm.py::"
    "test_a_worker_is_killed_a_node_drained_and_the_controller_restarted",
    "shakedown board create results/olfaction_one/recommendation.json --truth "
    "olfaction_pleasantness.csv.gz --id id --response pleasantness --split split "
    "--opens 2026-01-01 --closes 2036-01-01": _TO_A_WINNER,
    "shakedown board submit 'Team Ada' ada.csv": _TO_A_WINNER,
    "shakedown board export final --second pearson": _TO_A_WINNER,
    "shakedown winner olfaction_pleasantness.csv.gz ada.csv bob.csv --id id "
    "--response pleasantness --split split --metric mse --second pearson": _TO_A_WINNER,
    "python attributes.py": "tests/docs/test_olfaction.py::test_the_script_writes_the_table",
    "shakedown winner truth.csv ada.csv bob.csv --metric mse --split set": _INSTALLED,
    "pip install .": _INSTALLED,
    "pip install '.[board]'": _INSTALLED,
    "pip install snakemake-executor-plugin-slurm": "tests/test_dependencies.py::"
    "test_the_lock_and_the_table_have_every_dependency",
}

_WHEEL = "tests/cli/test_running.py::test_the_package_is_the_installed_one"
_EVALAI = "tests/live/test_adapter_evalai.py::test_the_worker_outlives_the_platform"
_GRAND = (
    "tests/live/test_adapter_grand_challenge.py::"
    "test_a_loop_that_is_killed_at_any_moment_reports_one_answer"
)
ELSEWHERE |= {
    "pip wheel --no-deps --wheel-dir . PATH_TO_SHAKEDOWN": _WHEEL,
    "pip wheel --no-deps --wheel-dir evaluation PATH_TO_SHAKEDOWN": _WHEEL,
    "export AUTH_TOKEN=... API_SERVER=https://eval.ai QUEUE_NAME=... CHALLENGE_PK=...": _EVALAI,
    "python3 remote.py": _EVALAI,
    "export GRAND_CHALLENGE_AUTHORIZATION=TOKEN": _GRAND,
    "python3 evaluate.py": _GRAND,
}

_NO_DOCKER = "It needs Docker; adapters/README.md says that this has not been tried."
_ON_OLFACTION = "shakedown dryrun olfaction_pleasantness.csv.gz "
_JOINED = "--response-table olfaction_attributes.csv --id id --split split --study "
_OLFACTION = [
    f"{_ON_OLFACTION}{_JOINED}olfaction",
    f"{_ON_OLFACTION}--response pleasantness --id id --split split --study olfaction_one",
    f"{_ON_OLFACTION}{_JOINED}olfaction_pearson --metric 'pearson by response'",
]
#: Run by no test, with the reason.
UNTESTED = {
    "docker build -t YOUR-ORGANISATION/YOUR-IMAGE:TAG .": _NO_DOCKER,
    "docker build -t ghcr.io/YOUR-ORGANISATION/YOUR-REPOSITORY:TAG evaluation": _NO_DOCKER,
    "docker run --rm -v ./scoring_program:/app/program -v ./input:/app/input "
    "-v ./output:/app/output -w /app/program YOUR-ORGANISATION/YOUR-IMAGE:TAG "
    "python3 -P score.py /app/input /app/output": _NO_DOCKER,
    **dict.fromkeys(_OLFACTION, "The data are not in the repository; made ones play in minutes."),
    "git clone https://github.com/dream-olfaction/olfaction-prediction": "It needs the network.",
    "mkdir challenge; cd challenge": "An empty folder is where the tests run.",
    "pip install snakemake-executor-plugin-kubernetes snakemake-storage-plugin-s3": (
        "The page says that Kubernetes has not been tried."
    ),
    "snakemake --workflow-profile profiles/kubernetes --configfile my.yaml "
    "--container-image registry/shakedown --default-storage-prefix s3://bucket": (
        "The page says that Kubernetes has not been tried."
    ),
}


def lines(block: str) -> list[str]:
    """The commands of a block of a shell, without comments."""
    joined = re.sub(r" *\\\n *", " ", block)
    return [re.sub(r"\s+# .*", "", line).strip() for line in joined.splitlines() if line.strip()]


#: Within a numbered list, blocks are indented and do not tell their language.
INDENTED = re.compile(
    r"^ {7,}((?:pip|docker|python3?|shakedown|make|curl|export) .*)$", re.MULTILINE
)

#: The texts in whose blocks a command stands.
FOUND: dict[str, set[str]] = {}
for _path in TEXTS:
    _indented = INDENTED.findall(BLOCK.sub("", _path.read_text("utf-8")))
    for _block in (*blocks(_path, "sh", "bash", "console", "shell"), *_indented):
        for _line in lines(_block):
            FOUND.setdefault(_line, set()).add(name_of(_path))

if __name__ == "__main__":
    for _line, _where in FOUND.items():
        print(f"{_line}    # {', '.join(sorted(_where))}")
