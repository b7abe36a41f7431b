"""Validation of packed strings."""

from typing import Any

import numpy as np

from mercer._validation import check_array, check_choice, check_offsets, describe
from mercer.data.hashing.checks import check_values
from mercer.data.strings.symbols import UNICODE, Granularity, SymbolArray

__all__ = ["check_codes", "check_strings"]

_DTYPES = {"character": (np.uint8, np.uint32), "byte": (np.uint8,), "token": (np.uint64,)}


def check_strings(
    who: str, *, codes: Any, offsets: Any, granularity: Any, texts: Any, names: Any = None
) -> dict[str, Any]:
    """Private copies of the fields of `Strings`; ValueError if they are invalid; O(symbols)."""
    granularity = check_choice(who, "granularity", granularity, Granularity)
    codes = check_codes(who, codes, granularity)
    offsets = check_offsets(who, "offsets", offsets, len(codes))
    if names is not None and not (type(names) is tuple and all(isinstance(name, str) for name in names)):
        raise ValueError(f"{who}: names must be a tuple of str or None, got {describe(names)}.")
    if names is not None and len(names) != len(offsets) - 1:
        raise ValueError(f"{who}: names must have {len(offsets) - 1} entries, got {len(names)}.")
    hashes = codes if granularity == "token" else np.empty(0, dtype=np.uint64)
    texts = check_values(who, "texts", texts, hashes, only=str)
    return {"codes": codes, "offsets": offsets, "granularity": granularity, "texts": texts, "names": names}


def check_codes(who: str, codes: Any, granularity: str) -> SymbolArray:
    """Private copy of flat codes; ValueError unless type and values fit the granularity; O(symbols)."""
    narrow, *wide = _DTYPES[granularity]
    is_wide = isinstance(codes, np.ndarray) and codes.dtype.newbyteorder("=") in wide
    own: SymbolArray = check_array(who, "codes", codes, wide[0] if is_wide else narrow, (np.size(codes),))
    if is_wide and own.max(initial=0) >= UNICODE:
        at = int(np.argmax(own >= UNICODE))
        raise ValueError(f"{who}: codes must be code points below {UNICODE:#x}, got {own[at]:#x} at position {at}.")
    return own
