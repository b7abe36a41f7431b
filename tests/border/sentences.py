"""Whether the message of a refusal is a sentence that a user understands."""

import re
import traceback
from pathlib import Path

__all__ = ["ALLOWED", "LONGEST", "problem"]

LONGEST = 2000  # characters of a message: it may quote what it was given, not repeat all of it

ALLOWED = (ValueError, TypeError, IndexError, MemoryError)

# "RBF: …", "Graphs.from_edges: …", "KernelPCA(center=False): …", "rbf(gamma=2) + linear: …", "kernel algebra: …".
NAMED = re.compile(r"^(?:[\w.]+(?:\[[^\]]*\])?|[^:\n]*[()*+\[\]][^:\n]*|kernel algebra|[\w.]+ of \S+|/[^:\n]*): \S")
OPENING = re.compile(r"^[A-Z]|^X[ :]|^sample_weight |^y ")
CLOSING = re.compile(r"[.?]['\")]?$")
# Texts of NumPy, SciPy and Python that do not name what the caller passed. They may be quoted as a reason.
FOREIGN = re.compile(
    r"out of bounds|could not be broadcast|could not broadcast|cannot reshape|setting an array element|ufunc '|"
    r"object is not|has no attribute|unsupported operand|truth value of an array|not enough values|No loop matching|"
    r"cannot be interpreted as an integer|incompatible function arguments|matmul: |not aligned|could not convert|"
    r"index pointer|should start with 0|Cannot cast|cannot cast|buffer size must be|arrays must all be same length|"
    r"must be real number, not|argument must be|takes no arguments|positional argument|Traceback"
)
BRACKETS = re.compile(r"\([^()]*\)")


def problem(error: BaseException) -> str:
    """What is wrong with the message of an exception; empty if nothing is.

    Messages of scikit-learn's own checks have its form. All others must open with a capital or a name and a colon, end
    with a full stop, and not be the text of another library.
    """
    if not isinstance(error, ALLOWED):
        return f"{type(error).__name__} instead of ValueError, TypeError, IndexError or MemoryError"
    text = str(error.args[0]) if error.args else str(error)
    if len(text) < 15:
        return "hardly any message"
    if len(text) > LONGEST:
        return f"a message of {len(text)} characters"
    if _raised_by_sklearn(error):
        return ""
    foreign = FOREIGN.search(_own_words(text))
    if foreign:
        return f"text of another library ({foreign.group()!r})"
    if not (OPENING.search(text) or NAMED.search(text)):
        return "neither a capital nor a name and a colon at the beginning"
    return "" if CLOSING.search(text.rstrip()) else "no full stop at the end"


def _own_words(text: str) -> str:
    """A message without what it quotes: reasons in brackets, behind a semicolon after a name, or of a damaged file."""
    text = text.split(" is damaged: ")[0]
    while BRACKETS.search(text):
        text = BRACKETS.sub("", text)
    return text.split(";")[0] if NAMED.search(text) else text


def _raised_by_sklearn(error: BaseException) -> bool:
    """Whether the last line is a `raise` of scikit-learn, not a call of NumPy in it."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and "sklearn" in Path(frames[-1].filename).parts and "raise" in (frames[-1].line or "")
