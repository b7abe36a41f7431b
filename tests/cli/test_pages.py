"""Commands that pages show are accepted by the command line, and print what the pages show."""

import os
import re
import shlex

import pytest

from mercer.cli.app import EXAMPLES, app, run
from tests.test_documentation import PAGES

BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(page):
    """Calls of mercer in the shell blocks of a page, each a list of arguments."""
    for kind, block in BLOCK.findall(PAGES[page]):
        for line in block.splitlines():
            if kind == "sh" or line.startswith("$ "):
                parts = re.split("&&|;", line.removeprefix("$ "))
                calls = [shlex.split(part, comments=True) for part in parts]
                yield from (words[1:] for words in calls if words[:1] == ["mercer"])


def shown():
    """Transcripts of the page of the command line: arguments, and what they print."""
    for kind, block in BLOCK.findall(PAGES["docs/guide/cli.md"]):
        if kind == "console":
            line, _, output = block.partition("\n")
            yield shlex.split(line.partition(";")[0])[2:], output


WITH_COMMANDS = [page for page in PAGES if list(commands(page))]
REPRODUCED = [pair for pair in shown() if pair[0][0] in ("embed", "kernels", "check", "gram")]


def test_pages_with_commands_are_found():
    assert {"README.md", "docs/index.md", "docs/quickstart.md", "docs/guide/cli.md"} <= set(WITH_COMMANDS)
    assert len(REPRODUCED) == 4


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_of_pages_are_accepted(page):
    for argv in commands(page):
        app.parse_args(argv, exit_on_error=False, print_error=False)


def test_examples_of_the_help_are_accepted():
    for line in (line for lines in EXAMPLES.values() for line in lines):
        app.parse_args(shlex.split(line)[1:], exit_on_error=False, print_error=False)


@pytest.mark.parametrize(("argv", "output"), REPRODUCED, ids=[argv[0] for argv, _ in REPRODUCED])
def test_transcripts_are_reproduced(argv, output, folder, capsys):
    code = run(argv)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    printed = os.linesep.join([*lines, *([str(code)] if argv[0] == "check" else [])])
    found, expected = printed.split(), output.split()
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == other or numbers(one) == pytest.approx(numbers(other), rel=1e-12)  # digits depend on BLAS


def numbers(word):
    """Number in a word such as (0.25); NaN, which equals nothing, for other words."""
    try:
        return float(word.strip("(),"))
    except ValueError:
        return float("nan")
