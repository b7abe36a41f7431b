"""Files of earlier formats: the same answers, or a refusal that names the version of the writer."""

import copy
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from mercer.persistence import TRUSTED_TYPES, ModelFileError, UntrustedTypeError, about, archive, formats, load, save
from mercer.persistence.formats import FORMAT, OLDEST, SINCE_FORMAT_1, refusal
from mercer.persistence.kernels import known_kernels
from mercer.svm import SVC
from tests.persistence.fixtures.make import answers, cases
from tests.persistence.fuzz import Mutator
from tests.persistence.test_hostile import NODES, attributes, stored, with_schema
from tests.persistence.test_model_files import repacked

FIXTURES = Path(__file__).parent / "fixtures"
FOLDERS = sorted(FIXTURES.glob("format_*"))
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.mercer"))]
WRITER = r"load: .*\.mercer was written by mercer 0\.1\.0 \(format 1\); this is mercer "
NOT_BUILT = {"mercer.data." + name for name in ("Graph", "Graphs", "Strings", "Table", "Tree", "Trees")}


def _number(path):
    """Format of a file, by its folder."""
    return int(path.parent.name.removeprefix("format_"))


def _label(path):
    return f"{path.parent.name}-{path.stem}"


pytestmark = pytest.mark.filterwarnings("ignore::mercer.exceptions.VersionWarning")  # other libraries go on
every_file = pytest.mark.parametrize("path", FILES, ids=_label)


@pytest.fixture
def old(tmp_path):
    """A file of format 1 to be changed."""
    path = tmp_path / "model.mercer"
    path.write_bytes((FIXTURES / "format_1" / "svc_rbf.mercer").read_bytes())
    return path


@pytest.fixture(scope="module")
def new_samples():
    return {name: new for name, (_, _, _, new) in cases().items()}


def same(found, expected):
    """Equal texts and whole numbers, and other numbers up to rounding: instruction sets differ."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in expected)
    first, second = np.array(found), np.array(expected)
    return np.allclose(first, second, rtol=1e-9, atol=1e-9) if second.dtype.kind == "f" else (first == second).all()


@every_file
def test_old_files_answer_as_their_writer_did_or_are_refused(path, new_samples):
    if _number(path) < OLDEST:
        with pytest.raises(ModelFileError, match=WRITER):
            load(path)
        return
    expected = json.loads((path.parent / "expected.json").read_text())
    assert same(answers(load(path), new_samples[path.stem]), expected[path.stem])


@every_file
def test_old_files_are_refused_if_the_format_is_no_longer_read(path, monkeypatch):
    monkeypatch.setattr(formats, "OLDEST", FORMAT)
    for read in (load, about):
        with pytest.raises(ModelFileError, match=WRITER.replace("load", read.__name__) + rf".*format {FORMAT}: fit "):
            read(path)


@pytest.mark.parametrize("path", [path for path in FILES if _number(path) >= OLDEST], ids=_label)
def test_loaded_models_are_saved_in_the_current_format(path, tmp_path):
    save(load(path), tmp_path / "again.mercer")
    told, before = about(tmp_path / "again.mercer"), about(path)
    assert (told["format"], before["format"]) == (FORMAT, _number(path))
    caches = {"mercer._estimator.training.Packed"}  # no longer written
    assert told["classes"] == [name for name in before["classes"] if name not in caches]
    assert told["model"] == before["model"]
    assert before["untrusted"] == []


def test_every_format_before_this_one_has_files():
    assert [folder.name for folder in FOLDERS] == [f"format_{number}" for number in range(1, FORMAT)]
    assert {path.stem for path in FILES} == set(cases())
    assert sum(path.stat().st_size for path in FIXTURES.rglob("*.*")) < 300_000


@pytest.mark.parametrize(
    ("number", "oldest", "reads", "advice"),
    [
        (1, 2, "format 2", "fit the model again, or install mercer==0.1.0."),
        (0, 1, "formats 1 to 2", "fit the model again, or install mercer==0.1.0."),
        (3, 1, "formats 1 to 2", "update mercer."),
    ],
)
def test_the_sentence(number, oldest, reads, advice, monkeypatch):
    monkeypatch.setattr(formats, "OLDEST", oldest)
    monkeypatch.setattr(formats, "FORMAT", 2)
    sentence = f"was written by mercer 0.1.0 (format {number}); this is mercer 0.2.0, which reads {reads}: {advice}"
    assert refusal(number, "0.1.0", "0.2.0") == sentence


def test_no_sentence_about_formats_that_are_read():
    assert not any(refusal(number, "0.1.0", "0.2.0") for number in range(OLDEST, FORMAT + 1))


def test_no_version_is_to_be_installed_that_is_there(monkeypatch):
    monkeypatch.setattr(formats, "OLDEST", FORMAT)
    assert refusal(1, "0.2.0", "0.2.0").endswith(": fit the model again.")


# ---- trust


def test_only_names_that_were_trusted_are_translated():
    by_state = {*known_kernels(), "mercer.kernels.Definiteness", "mercer.solvers.Status"}
    assert set(SINCE_FORMAT_1.values()) <= {*TRUSTED_TYPES, *by_state, *NOT_BUILT}
    for name in SINCE_FORMAT_1.values():
        module, _, word = name.rpartition(".")
        assert word in import_module(module).__all__


@pytest.mark.parametrize("name", ["function", "object", "kernel", "strings", "estimator by a call", "list", "unknown"])
def test_old_files_that_do_harm(name, old):
    with_schema(old, lambda schema: attributes(schema).update(C=copy.deepcopy(NODES[name])))
    with pytest.raises(ModelFileError, match=r"load: .*model\.mercer (contains untrusted types|is damaged)"):
        load(old)


@pytest.mark.parametrize("name", ["mercer.kernels.user.User", "mercer.kernels.around.Map", "mercer.svm.nothing.SVC"])
def test_kernels_of_old_files_are_not_imported_by_name(name, old):
    def change(schema):
        for state in stored(schema, "kernel"):
            text = state["text"]
            state["class"] = {**text, "__id__": -1, "content": json.dumps(name)}
            state["fields"] = {**text, "__id__": -2, "content": "{}"}

    with_schema(old, change)
    with pytest.raises(UntrustedTypeError, match=name):
        load(old)


def test_new_files_do_not_use_old_names(tmp_path):
    path = tmp_path / "model.mercer"
    save(SVC(), path)
    with_schema(path, lambda schema: {**schema, "__module__": "mercer.svm.svc"})
    with pytest.raises(UntrustedTypeError, match=r"contains untrusted types: mercer\.svm\.svc\.SVC"):
        load(path)


def test_data_that_look_like_names_stay_as_they_are(tmp_path, monkeypatch):
    """A text of the user is not a name of a class, even if it reads like one."""
    path = tmp_path / "data.mercer"
    texts = ["mercer.svm.svc.SVC", {"class": "mercer.solvers.solution.Status"}]
    save(texts, path)
    repacked(path, format=1)
    assert load(path) == texts


@pytest.mark.parametrize("change", ["name", "kind", "state"])
def test_old_files_that_are_damaged(change, old):
    def damage(schema):
        for state in [schema, attributes(schema)["kernel_"]]:
            state["content"]["content"].pop(change, None)

    with_schema(old, damage)
    with pytest.raises(ModelFileError, match="is damaged"):
        load(old)


def test_damage_is_found_before_names_are_translated(old):
    mutator = Mutator(old.read_bytes(), np.random.default_rng(0))
    content = old.read_bytes()
    at = content.index(mutator.members[archive.SCHEMA][:40]) + 60
    old.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    with pytest.raises(ModelFileError, match="is damaged"):
        load(old)
