"""``mercer kernels``: the list of kernels, and the certificate of one."""

from mercer.cli.shared.options import Code, Json

__all__ = ["kernels"]


def kernels(kernel: str | None = None, /, *, json: Json = False, code: Code = False) -> None:
    """List kernels with formula and definiteness, or explain one.

    In Python: mercer.kernels.registered(), and mercer.kernel("...").certificate().

    Parameters
    ----------
    kernel
        A name (rbf) or an expression in quotes ("rbf(gamma=0.1) + 0.5*linear").
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(_program(kernel), json=json)
        return
    from mercer.cli.kernels.catalogue import show_kernel, show_kernels
    from mercer.cli.kernels.describe import describe_kernel, describe_kernels

    described = describe_kernels() if kernel is None else describe_kernel(kernel)
    if json:
        print_json(described)
    elif kernel is None:
        show_kernels(terminal(), described)
    else:
        show_kernel(terminal(), described)


def _program(kernel: str | None) -> list[str]:
    if kernel is None:
        return [
            "from mercer.kernels import registered",
            "",
            "for name, cls in registered().items():",
            '    print(f"{name:24} {cls.formula}")',
        ]
    from mercer.cli.shared.programs import quoted

    return [
        "import mercer",
        "",
        f"kernel = mercer.kernel({quoted(kernel)})",
        "print(repr(kernel))",
        "print(kernel.get_params())",
        "print(kernel.certificate())",
    ]
