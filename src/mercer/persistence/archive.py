"""Archives of model files: a zip archive as written by skops, and a manifest with format, versions and digest.

Members are not compressed, so no member is larger than the file. The digest detects damage. It is not a signature, so
the contents are validated in any case.
"""

import errno
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from io import BytesIO
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, is_zipfile

from mercer._runtime.files import open_regular
from mercer.persistence.errors import ModelFileError
from mercer.persistence.formats import FORMAT, refusal, with_current_names
from mercer.persistence.stored import need

__all__ = ["Archive", "compose", "members", "opened", "versions"]

MANIFEST, SCHEMA = "mercer.json", "schema.json"
_WRITER = "models are written by mercer.persistence.save"
_BLOCK = 1 << 20


# ---- writing


@cache
def versions() -> dict[str, str]:
    """Versions of the packages that determine the behaviour of a model."""
    packages = ("mercer", "numpy", "scipy", "scikit-learn", "skops")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def compose(source: ZipFile, schema: Any, file: IO[bytes]) -> None:
    """Write the members written by skops, the schema without blanks, and the manifest."""
    manifest: dict[str, Any] = {"format": FORMAT, "versions": versions()}
    _copy(source, schema, file)
    with ZipFile(file, "a", ZIP_STORED) as archive:
        manifest["digest"] = _digest(archive, manifest)
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))


def _copy(source: ZipFile, schema: Any, file: IO[bytes]) -> None:
    """Copy the members of an archive, replacing its schema."""
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name in source.namelist():
            plain = json.dumps(schema, separators=(",", ":")).encode() if name == SCHEMA else source.read(name)
            archive.writestr(name, plain)


# ---- reading


def members(archive: ZipFile) -> tuple[Any, dict[str, int], Callable[[str], IO[bytes]]]:
    """Schema of an archive, sizes of its members, and a function that opens a member."""
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    return json.loads(archive.read(SCHEMA)), sizes, archive.open


@dataclass
class Archive:
    """An open file whose size and manifest have been checked."""

    file: IO[bytes]
    zip: ZipFile
    manifest: dict[str, Any]

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the packages that wrote the file."""
        return dict(self.manifest["versions"])

    def check_digest(self) -> None:
        """Raise ValueError if the contents do not match the digest."""
        digest = _digest(self.zip, self.manifest)
        need(self.manifest.get("digest") == digest, "its contents do not match its digest")

    def updated(self) -> "Archive":
        """Return the archive in the current format: itself, or a converted copy in memory."""
        if self.manifest["format"] == FORMAT:
            return self
        buffer = BytesIO()
        _copy(self.zip, with_current_names(json.loads(self.zip.read(SCHEMA))), buffer)
        return Archive(buffer, ZipFile(buffer), self.manifest)


@contextmanager
def opened(who: str, path: str) -> Iterator[Archive]:
    """Open a file for reading; any exception raised meanwhile is reported as a damaged file (ModelFileError)."""
    try:
        regular = open_regular(path)
    except ValueError as error:
        raise ModelFileError(f"{who}: {error}") from None
    with regular as file:
        try:
            whole = is_zipfile(file)
            file.seek(0)
            if not whole and file.read(2) == b"PK":
                raise ValueError("it is truncated; copy it again")
            if not whole:
                raise ModelFileError(f"{who}: {path} is not a mercer model: {_WRITER}.")
            with ZipFile(file) as archive:
                yield _checked(f"{who}: {path}", file, archive)
        except ModelFileError:
            raise
        except OSError as error:
            if error.errno != errno.EINVAL:  # raised by seeking to an invalid position
                raise
            raise _damaged(f"{who}: {path}", error) from error
        except Exception as error:
            raise _damaged(f"{who}: {path}", error) from error


def _damaged(path: str, error: Exception) -> ModelFileError:
    what = str(error).strip().rstrip(".") or type(error).__name__
    return ModelFileError(f"{path} is damaged: {what}.")


def _checked(path: str, file: IO[bytes], archive: ZipFile) -> Archive:
    members = archive.infolist()
    sizes = {member.filename: member.file_size for member in members}
    if not {MANIFEST, SCHEMA} <= sizes.keys():
        raise ModelFileError(f"{path} is not a mercer model: {_WRITER}.")
    plain = all(m.compress_type == ZIP_STORED and m.file_size == m.compress_size for m in members)
    need(plain and not any(member.flag_bits & 1 for member in members), "a member is compressed or encrypted")
    need(len(sizes) == len(members), "two members have the same name")
    need(sum(sizes.values()) <= os.fstat(file.fileno()).st_size, "its members are larger than the file")
    manifest = json.loads(archive.read(MANIFEST))
    need(type(manifest) is dict and type(manifest.get("format")) is int, "it does not record its format")
    found = manifest.get("versions")
    need(type(found) is dict and all(type(v) is str for v in found.values()), "it does not record versions")
    need({"mercer", "scikit-learn"} <= found.keys(), "it does not record versions")
    refused = refusal(manifest["format"], found["mercer"], versions()["mercer"])
    if refused:
        raise ModelFileError(f"{path} {refused}")
    return Archive(file, archive, manifest)


def _digest(archive: ZipFile, manifest: dict[str, Any]) -> str:
    """SHA-256 digest of the names and contents of all members, and of the manifest without its digest."""
    rest = {name: value for name, value in manifest.items() if name != "digest"}
    total = hashlib.sha256(json.dumps(rest, sort_keys=True).encode())
    for name in sorted(archive.namelist()):
        if name == MANIFEST:
            continue
        total.update(f"\0{name}\0{archive.getinfo(name).file_size}\0".encode())
        with archive.open(name) as member:
            while block := member.read(_BLOCK):
                total.update(block)
    return total.hexdigest()
