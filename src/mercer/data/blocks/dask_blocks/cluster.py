"""Clusters: the current client, the version of mercer on the workers, and how tasks are sent to them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mercer.data.blocks.dask_blocks.work import own_version
from mercer.exceptions import ClusterError

__all__ = ["check_workers", "connected", "current_client", "portable", "require_workers"]

_CONNECT = 10  # seconds to wait for a scheduler
_PATIENCE = 60  # seconds to wait for the first worker
_NAMED = 3  # workers that an error names
# An expression, because workers without mercer can read it: the compiled core is loaded, and the version returned.
_VERSION = "(__import__('mercer.kernels'), __import__('mercer').__version__)[1]"


def current_client() -> Any:
    """Current client of a cluster, or None."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    return client if client.status == "running" else None  # not one that could not connect


def require_workers(who: str) -> None:
    """Raise ClusterError unless the current cluster, if there is one, has workers, all with this version of mercer."""
    client = current_client()
    if client is None:
        return
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise ClusterError(
            f"{who}: the cluster {client.scheduler.address} has had no workers for {_PATIENCE} s; start workers, or "
            "call client.wait_for_workers(1) before if they are queued."
        ) from None
    check_workers(who)


def check_workers(who: str) -> None:
    """Raise ClusterError if a worker of the current cluster cannot import this version of mercer."""
    client = current_client()
    if client is None:
        return
    own = own_version()
    found = client.run(eval, _VERSION, on_error="return")
    wrong = [
        f"worker {worker} {_what(got)}"
        for worker, got in found.items()
        if got != own and not isinstance(got, OSError)  # the connection to a worker that has just died
    ]
    if wrong:
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise ClusterError(
            f"{who}: expected mercer {own} on all workers, as on the client, but {len(wrong)} of {len(found)} differ: "
            f"{'; '.join(wrong[:_NAMED])}{more}. Install the same version on every worker (pip install "
            f"'mercer[dask]=={own}') and start it again."
        )


def _what(got: Any) -> str:
    """What a worker has in place of this version."""
    if not isinstance(got, Exception):
        return f"has mercer {got}"
    if isinstance(got, ModuleNotFoundError) and got.name == "mercer":
        return "has no mercer"
    return f"cannot import mercer ({' '.join(f'{type(got).__name__}: {got}'.split())[:120]})"


def portable(name: str, constant: Any) -> tuple[Callable[..., Any], bytes]:
    """Function that calls one of `work` on a worker with a constant and other arguments, and the pickled constant.

    A worker that cannot read a task leaves the cluster without an error, and if it was the only one, a fit waits for
    ever. So what is sent to a cluster can be read without mercer, and raises ImportError where mercer is missing.
    """
    import cloudpickle

    version = own_version()

    def on_worker(*args: Any) -> Any:  # a function inside of another one is sent as code, not as a name in mercer
        from mercer.data.blocks.dask_blocks import work

        work.require_version(version)
        return getattr(work, name)(*args)

    on_worker.__name__ = name  # which Dask shows
    return on_worker, cloudpickle.dumps(constant)


@contextmanager
def connected(who: str, address: str) -> Iterator[None]:
    """Use the cluster of a scheduler, whose workers are checked, for all Dask collections inside of the context.

    Parameters
    ----------
    who : str
        Name for errors.
    address : str
        Address of the scheduler, such as "tcp://10.0.0.5:8786".
    """
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(f"{who}: clusters need Dask; install it with: pip install 'mercer[dask]'") from None
    try:
        client = Client(address, timeout=_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        what = " ".join(str(error).split())[:120]
        raise ValueError(
            f"{who}: {address}: no Dask scheduler answers ({what}); start one with: dask scheduler, and pass the "
            "address that it prints."
        ) from None
    with client:
        require_workers(who)
        yield
