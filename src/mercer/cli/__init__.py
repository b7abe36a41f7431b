"""The command ``mercer``.

Exit codes: 0 for success, 1 for an error in the input (an unknown kernel, say), 2 for a command line that cannot be
understood, and where the extra ``mercer[app]`` is not installed, 3 if ``mercer check`` refuted the kernel, 130 after
Ctrl-C.
"""

import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `argv` is ``sys.argv[1:]`` by default."""
    if not all(find_spec(package) for package in ("cyclopts", "rich")):
        print("mercer: the command line needs an extra: pip install 'mercer[app]'", file=sys.stderr)
        return 2
    from mercer.cli.app import run

    return run(sys.argv[1:] if argv is None else argv)
