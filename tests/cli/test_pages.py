"""Commands that pages and help texts show are accepted by the command line."""

import re
import shlex

import pytest

from mercer.cli.app import EXAMPLES, app
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


WITH_COMMANDS = [page for page in PAGES if list(commands(page))]


def test_pages_with_commands_are_found():
    assert {"README.md", "docs/index.md", "docs/quickstart.md", "docs/guide/cli.md"} <= set(WITH_COMMANDS)


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_of_pages_are_accepted(page):
    for argv in commands(page):
        app.parse_args(argv, exit_on_error=False, print_error=False)


def test_examples_of_the_help_are_accepted():
    for line in (line for lines in EXAMPLES.values() for line in lines):
        app.parse_args(shlex.split(line)[1:], exit_on_error=False, print_error=False)
