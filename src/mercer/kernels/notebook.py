"""Mixin for the display of kernels in notebooks."""

__all__ = ["Displayed"]


class Displayed:
    """Mixin of kernels that shows them as HTML and as a LaTeX formula in notebooks."""

    def _repr_html_(self) -> str:
        from mercer.kernels.display import as_html

        return as_html(self)  # type: ignore[arg-type]

    def _repr_latex_(self) -> str:
        from mercer.kernels.display import as_latex

        return as_latex(self)  # type: ignore[arg-type]
