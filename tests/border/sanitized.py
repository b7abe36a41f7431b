"""The cases on a core with the address and undefined-behaviour sanitizers: ``python -m tests.border.sanitized FOLDER``.

Builds the core in FOLDER (or brings the build there up to date), puts it in place of the installed one on the path of a
new process, and runs ``python -m tests.border`` there with the remaining arguments. A read or write of the core outside
an array ends the process even where it would have gone unnoticed.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["build", "environment", "main"]

ROOT = Path(__file__).parents[2]
# Editable installations redirect imports before the path is asked.
START = """\
import runpy, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
import mercer._core
if not mercer._core.__file__.startswith({folder!r}):
    sys.exit("tests.border.sanitized: the core was imported from " + mercer._core.__file__ + ", not from the build.")
sys.argv[0] = "tests.border"
runpy.run_module("tests.border", run_name="__main__", alter_sys=True)
"""


def build(folder: Path) -> Path:
    """Build the core with sanitizers; the folder to put on the path.

    Parameters
    ----------
    folder : path
        Of the build. A second build compiles only what has changed.
    """
    import nanobind

    settings = {
        "MERCER_SANITIZE": "ON",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind.cmake_dir(),
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder / "build", "-G", "Ninja", *options], check=True)
    subprocess.run(["cmake", "--build", folder / "build"], check=True)
    (core,) = (folder / "build").glob("_core*.so")
    return _package(folder / "site", core)


def _package(site: Path, core: Path) -> Path:
    """The package mercer as it is installed, by links, with another core."""
    spec = find_spec("mercer")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("tests.border.sanitized: mercer is not installed; install it with pip install '.[test]'.")
    package = site / "mercer"
    package.mkdir(parents=True, exist_ok=True)
    for link in package.iterdir():
        link.unlink()
    for location in spec.submodule_search_locations:
        for part in Path(location).iterdir():
            if not part.name.startswith(("_core.c", "__pycache__")) and not (package / part.name).exists():
                (package / part.name).symlink_to(part)
    (package / core.name).symlink_to(core.resolve())
    return site


def environment(site: Path) -> dict[str, str]:
    """Environment of a process that uses the core in `site`: the sanitizers' library comes before all others."""
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")  # exceptions are looked for in the latter before the core loads it
    ]
    path = os.pathsep.join([str(site), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096:hard_rss_limit_mb=6000",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "MPLBACKEND": "Agg",
    }


def main(arguments: list[str]) -> int:
    """Build, then run the cases; the exit status of the run."""
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit("usage: python -m tests.border.sanitized FOLDER [options of python -m tests.border]")
    site = build(Path(arguments[0]).resolve())
    command = [sys.executable, "-c", START.format(folder=str(site)), *arguments[1:]]
    return subprocess.run(command, env=environment(site), cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
