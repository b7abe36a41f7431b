"""``mercer gram``: Gram matrix of samples, written to a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mercer.cli.shared.options import Code, Flag, Json, Output, Target

if TYPE_CHECKING:
    from mercer.kernels import Kernel

__all__ = ["gram"]


def gram(
    data: str,
    kernel: str,
    /,
    *,
    output: Output,
    target: Target = None,
    normalize: Flag = False,
    json: Json = False,
    code: Code = False,
) -> None:
    """Compute a Gram matrix and write it to a file.

    The kernel is applied to the columns as they are, without standardisation.

    Parameters
    ----------
    data
        File, folder or name of a bundled data set (see mercer datasets).
    kernel
        Name of a kernel (rbf) or quoted expression ("rbf[age, income] + overlap[city]").
    output
        Write the matrix to this file: .npy, .npz (K, kernel as text, y if present) or .csv.
    target
        Exclude this column from the samples.
    normalize
        Normalise to unit diagonal: k(x, z)/√(k(x, x) k(z, z)).
    """
    from mercer._runtime.files import replacing
    from mercer.cli.shared.destinations import check_folder, check_suffix
    from mercer.cli.shared.output import print_code, print_json, print_notes, terminal

    suffix = check_suffix(output, ".npy", ".npz", ".csv")
    if code:
        print_code(_program(data, kernel, output, suffix, target, normalize), json=json)
        return
    check_folder(output)
    import mercer
    from mercer.cli.shared.inputs import read_samples
    from mercer.cli.shared.progress_bar import progress

    function: Kernel = mercer.kernel(kernel)
    with progress("reading") as step:
        samples = read_samples(data, target=target, supervised=False)
        step(1, 3, f"Gram matrix of {samples.n} samples")
        function = (function.normalized() if normalize else function).resolve(samples.X)
        K = function(samples.X)
        step(2, 3, "writing")
        with replacing(output) as (path,):
            _write(path, suffix, K, function, samples.y)
    facts = {
        "kernel": str(function),
        "shape": list(K.shape),
        "dtype": str(K.dtype),
        "smallest": K.min(),
        "largest": K.max(),
        "definiteness": function.definiteness.value,
        "output": str(output),
        "notes": list(samples.notes),
    }
    if json:
        print_json(facts)
        return
    console = terminal()
    print_notes(console, samples.notes)
    _show(console, facts)


def _write(path: Any, suffix: str, K: Any, kernel: "Kernel", y: Any) -> None:
    import numpy as np

    if suffix == ".npy":
        np.save(path, K)
    elif suffix == ".npz":
        arrays: dict[str, Any] = {} if y is None else {"y": np.asarray(y)}
        np.savez(path, K=K, kernel=str(kernel), **arrays)
    else:
        import polars as pl

        pl.DataFrame(K).write_csv(path, include_header=False)  # polars writes the shortest digits that round-trip


def _show(console: Any, found: dict[str, Any]) -> None:
    from mercer.cli.shared.tables import facts, verdict

    n, m = found["shape"]
    console.print(
        facts(
            {
                "kernel": found["kernel"],
                "matrix": f"{n} × {m}, {found['dtype']}, from {found['smallest']:.6g} to {found['largest']:.6g}",
                "certificate": verdict(found["definiteness"]),
                "written": found["output"],
            }
        )
    )


def _program(data: str, kernel: str, output: Path, suffix: str, target: str | None, normalize: bool) -> list[str]:
    from mercer.cli.shared.programs import READING, imports, quoted, reading_program

    name = quoted(output)
    needed, last = {
        ".npy": ("import numpy as np", f"np.save({name}, K)"),
        ".npz": (
            "import numpy as np",
            f"np.savez({name}, K=K, kernel=str(kernel), **({{}} if y is None else dict(y=y)))",
        ),
        ".csv": ("import polars as pl", f"pl.DataFrame(K).write_csv({name}, include_header=False)"),
    }[suffix]
    return [
        *imports(["import mercer", needed], READING),
        "",
        *reading_program(data, target, supervised=False),
        f"kernel = mercer.kernel({quoted(kernel)}){'.normalized()' * normalize}.resolve(X)",
        "K = kernel(X)",
        "print(kernel, K.shape, kernel.definiteness.value)",
        last,
    ]
