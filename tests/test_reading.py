"""A key that stands twice in a YAML file is told, with its place."""

import os

import pytest
import yaml

from shakedown.interface import InputError
from shakedown.reading import MOST_BYTES, check_keys, read

TWICE = """\
study: s
experiments:
  free:
    mechanisms:
      - {name: kaggle}
      - name: ladder
        alpha: 0.1
        # A comment and more settings may lie between the two.
        alpha: 0.5
"""


def written(folder, text):
    path = folder / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "line", "key", "first"),
    [
        (TWICE, 9, "alpha", 7),
        ("seed: 1\nstudy: s\n'seed': 2\n", 3, "seed", 1),
        ("a: 1\nb: {c: 1, d: 2, c: 3}\n", 2, "c", 2),
        ("- x: 1\n- y: 2\n  y: 2\n", 3, "y", 2),
        ("a: {}\nb: 1\na: {}\nb: 2\n", 3, "a", 1),  # the first one is told
    ],
)
def test_a_repeated_key_is_refused(tmp_path, text, line, key, first):
    path = written(tmp_path, text)
    message = f"{path}, line {line}: the key {key} is already in line {first}. Keep one of them."
    for check in (read, lambda path: check_keys([written(tmp_path, text)])):
        with pytest.raises(InputError) as e:
            check(path)
        assert str(e.value) == message


@pytest.mark.parametrize(
    "text",
    [
        "a: {x: 1, y: 2}\nb: {x: 1}\nc: [{x: 1}, {x: 1}]\n",
        "base: &base {x: 1}\none: {<<: *base, x: 2}\ntwo: [*base, *base]\n",
        "a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n",
        "1: a\n'1': b\n",
        "",
    ],
)
def test_what_yaml_means_stays(tmp_path, text):
    assert read(written(tmp_path, text)) == yaml.safe_load(text)


def test_every_file_is_looked_at_and_json_is_left_to_its_reader(tmp_path):
    json = tmp_path / "a.json"
    json.write_text('{\n\t"a": 1\n}')
    check_keys([json])
    with pytest.raises(InputError, match="line 2: the key a is already in line 1"):
        check_keys([json, written(tmp_path, "a: 1\na: 1\n")])


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("study: s\nfree: &free\n  x: 1\n  again: *free\n", 4, "free"),
        ("study: s\nlist: &l [1, *l]\n", 2, "l"),
        ("a: &a\n  - b: {c: [*a]}\n", 2, "a"),
    ],
)
def test_an_alias_within_what_it_names_is_refused(tmp_path, text, line, name):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as e:
        read(path)
    assert str(e.value) == (
        f"{path}, line {line}: *{name} lies within &{name}, so it would contain itself. Write out "
        "what is meant."
    )


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_in_another_encoding_is_refused(tmp_path, encoding):
    path = tmp_path / "my.yaml"
    path.write_bytes("study: s\n# größer\n".encode(encoding))
    line, byte = (2, "0xF6") if encoding == "latin-1" else (1, "0xFF")
    for check in (read, lambda path: check_keys([path])):
        with pytest.raises(InputError) as e:
            check(path)
        assert str(e.value) == (
            f"{path}, line {line}: wanted UTF-8 text; got the byte {byte}. Save the file as UTF-8."
        )


def test_the_mark_of_utf_8_is_no_text(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_bytes("study: größer\n".encode("utf-8-sig"))
    assert read(path) == {"study": "größer"}


def test_text_that_is_nested_too_deeply_is_refused(tmp_path):
    path = written(tmp_path, f"a: {'[' * 5000}{']' * 5000}\n")
    with pytest.raises(InputError, match=r"my\.yaml: lists and settings are nested too deeply"):
        read(path)


def test_aliases_that_multiply_are_refused(tmp_path):
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 9)]
    path = written(tmp_path, "\n".join(lines))
    with pytest.raises(InputError) as e:
        read(path)
    assert str(e.value) == (
        f"{path}, line 7: with its aliases this has more than 1,000,000 entries. Write out what is "
        "meant."
    )


@pytest.mark.parametrize("number", ["1" * 400, "-" + "1" * 5000, "0x" + "f" * 400])
def test_a_number_that_is_too_long_is_refused_by_line(tmp_path, number):
    path = tmp_path / "long.yaml"
    path.write_text(f"a: {'1' * 300}\nseed: {number}\n")
    with pytest.raises(
        InputError, match=r"long\.yaml, line 2: a whole number of more than 300 digits\. Write"
    ):
        read(path)


def test_what_is_no_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in (tmp_path / "pipe.yaml", "/dev/zero"):
        with pytest.raises(InputError, match=r": a pipe or a device; wanted a file\."):
            read(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.yaml"
    with open(path, "wb") as file:
        file.truncate(MOST_BYTES + 1)  # sparse
    with pytest.raises(InputError, match=r"large\.yaml: larger than 64 MB; wanted a configuration"):
        read(path)
