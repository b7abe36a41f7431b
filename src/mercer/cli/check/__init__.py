"""``mercer check``: a proof that a kernel is valid, or a counterexample."""

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
    """Prove that a kernel is valid, or show where it fails.

    Prints the proof tree of the certificate. What is not proved is searched for a counterexample; with DATA the Gram
    matrix is examined too. Ends with exit code 3 if the kernel was refuted, else 0: proved, or no violation found.

    Parameters
    ----------
    kernel
        A name (rbf) or an expression in quotes ("rbf(gamma=0.1) - linear").
    data
        A file, a folder or a bundled name, to check the kernel on these samples.
    target
        Column to leave out of the samples.
    conditional
        Ask only for conditional definiteness, which is enough where data are centred.
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(_program(kernel, data, target, conditional, rows, seed), json=json)
        return 0
    from mercer.cli.check.findings import Findings

    found = Findings(kernel, conditional, seed)
    if data is not None:
        from mercer.cli.shared.inputs import read_samples

        found.examine(read_samples(data, target=target, supervised=False).draw(rows or None, seed))
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
