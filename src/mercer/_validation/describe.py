"""Short descriptions of values, for error messages."""

__all__ = ["describe", "shortened"]


def describe(value: object) -> str:
    """Describe a value for messages: type, shape and dtype of arrays, or the value itself if it is short."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}" + (f" and dtype {dtype}" if dtype is not None else "")
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:57]}..."


def shortened(text: str, most: int = 60) -> str:
    """Shorten a text of the user for messages to its first `most` characters.

    >>> shortened("gamma"), shortened("a" * 100, most=5)
    ('gamma', 'aaaaa…')
    """
    return text if len(text) <= most else f"{text[:most]}…"
