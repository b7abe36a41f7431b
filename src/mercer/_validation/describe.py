"""Short descriptions of values, for error messages."""

__all__ = ["describe"]


def describe(value: object) -> str:
    """Describe a value for messages: type, shape and dtype of arrays, or the value itself if it is short."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}" + (f" and dtype {dtype}" if dtype is not None else "")
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:57]}..."
