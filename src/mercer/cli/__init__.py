"""Command line of mercer.

Exit codes: 0 success; 1 invalid input, such as an unknown kernel; 2 usage error, or the extra ``mercer[app]`` is not
installed; 3 ``mercer check`` refuted the kernel; 130 interrupted by Ctrl-C.
"""

import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments after the program name. None means ``sys.argv[1:]``.

    Returns
    -------
    int
        Exit code: 0 success, 1 invalid input, 2 usage error, 3 kernel refuted by ``mercer check``, 130 interrupted.

    See Also
    --------
    mercer.auto.AutoClassifier : Model behind ``mercer fit``.
    mercer.kernels.find_counterexample : Search behind ``mercer check``.

    Examples
    --------
    >>> from mercer.cli import main
    >>> main(["gram", "wine", "rbf", "--output", "K.npy", "--code"])
    import numpy as np
    import mercer
    from mercer.datasets import read
    <BLANKLINE>
    data = read("wine")
    X, y, groups = data.split() if data.target else (data.X, data.y, None)
    kernel = mercer.kernel("rbf").resolve(X)
    K = kernel(X)
    print(kernel, K.shape, kernel.definiteness.value)
    np.save("K.npy", K)
    0
    """
    if not all(find_spec(package) for package in ("cyclopts", "rich")):
        print("mercer: the command line is not installed: pip install 'mercer[app]'", file=sys.stderr)
        return 2
    try:
        from mercer.cli.app import run

        return run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # while modules are imported; `run` handles the rest
        print("mercer: interrupted.", file=sys.stderr)
        return 130
    finally:
        if argv is None:  # the program is done; Ctrl-C must not change its exit code while the interpreter ends
            signal.signal(signal.SIGINT, signal.SIG_IGN)
