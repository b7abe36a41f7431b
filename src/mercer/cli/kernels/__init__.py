"""``mercer kernels``: list of kernels, description of one kernel."""

from mercer.cli.shared.options import Code, Json

__all__ = ["kernels"]


def kernels(kernel: str | None = None, /, *, json: Json = False, code: Code = False) -> None:
    """List all kernels, or describe one.

    The list shows the formula, definiteness and parameters of each kernel. The description of one kernel includes the
    proof of its definiteness. In Python: mercer.kernels.registered() and mercer.kernel("...").certificate().

    Parameters
    ----------
    kernel
        Name of a kernel (rbf) or quoted expression ("rbf(gamma=0.1) + 0.5*linear"). Without it, all kernels are listed.
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
