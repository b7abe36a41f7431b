"""Commands in processes of their own, which tests interrupt and kill."""

import os
import subprocess
import sys

# The first line is written when the command begins, after the interpreter and the package have been loaded: before,
# Ctrl-C ends the interpreter and not the command.
STARTED = """
import sys
from mercer.cli import main
sys.stderr.write("started\\n")
sys.stderr.flush()
sys.exit(main())
"""


def started(folder, argv):
    """A process in a folder in which a command has begun."""
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, *argv],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert process.stderr.readline() == "started\n"
    return process
