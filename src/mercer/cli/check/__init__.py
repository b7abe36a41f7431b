"""``mercer check``: proof of definiteness, or a counterexample."""

from mercer.cli.shared.options import Code, Flag, Json, Rows, Seed, Target

__all__ = ["check"]

REFUTED = 3


def check(
    kernel: str,
    data: str | None = None,
    /,
    *,
    target: Target = None,
    conditional: Flag = False,
    rows: Rows = 1000,
    seed: Seed = 0,
    json: Json = False,
    code: Code = False,
) -> int:
    """Prove that a kernel is positive semidefinite, or refute it.

    Prints the proof tree of the certificate, or searches for a counterexample if there is no proof. With DATA, the
    eigenvalues of the Gram matrix are checked as well. The exit code is 3 if the kernel was refuted, else 0.

    Parameters
    ----------
    kernel
        Name of a kernel (rbf) or quoted expression ("rbf(gamma=0.1) - linear").
    data
        File, folder or name of a bundled data set on which the kernel is checked.
    target
        Exclude this column from the samples.
    conditional
        Check conditional definiteness only, which is sufficient for centred data.
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(_program(kernel, data, target, conditional, rows, seed), json=json)
        return 0
    from mercer.cli.check.findings import Findings
    from mercer.cli.shared.progress_bar import progress

    found = Findings(kernel, conditional, seed)
    with progress("proof") as step:
        if data is not None:
            from mercer.cli.shared.inputs import read_samples

            step(0, 3, "reading")
            samples = read_samples(data, target=target, supervised=False).draw(rows or None, seed)
            step(1, 3, f"eigenvalues of the Gram matrix of {samples.n} samples")
            found.examine(samples)
        step(2, 3, "search for a counterexample")
        found.search()
    if json:
        print_json(found.plain())
    else:
        from mercer.cli.check.display import show_findings

        show_findings(terminal(), found.plain(), found.counterexample)
    return REFUTED if found.outcome == "refuted" else 0


def _program(kernel: str, data: str | None, target: str | None, conditional: bool, rows: int, seed: int) -> list[str]:
    from mercer.cli.shared.programs import COUNTING, READING, imports, quoted, reading_program, sampling_program

    options = ", conditional=True" * conditional + f", random_state={seed}" * bool(seed)
    lines = [f"kernel = mercer.kernel({quoted(kernel)})", "print(kernel.certificate())"]
    if data is None:
        return ["import mercer", "", *lines, f"print(mercer.find_counterexample(kernel{options}))"]
    return [
        *imports(["import mercer"], READING, COUNTING),
        "",
        *reading_program(data, target, supervised=False),
        *sampling_program(rows or None, seed),
        *lines,
        "print(mercer.check_gram(kernel(X)))",
        f"print(mercer.find_counterexample(kernel, X{options}))",
    ]
