"""JSON on the standard output."""

import json

import numpy as np
import pytest

from mercer.cli.shared.output import print_json


def test_json_has_no_nan(capsys):
    print_json({"a": np.array([1.0, np.nan]), "b": np.float32(0.5), "c": np.inf, "d": (True, None, "é"), 5: object})
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data == {"a": [1.0, None], "b": 0.5, "c": None, "d": [True, None, "é"], "5": str(object)}
