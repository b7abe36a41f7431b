"""Computations of threads that signals do not reach end when they are asked to."""

import threading

import pytest

from mercer._runtime.interrupt import PIECE, asking, interruptible, pieces


def in_thread(work):
    """Exception that the work raises in a thread of its own, and its result."""
    found = []

    def run():
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def refuse():
    raise InterruptedError("asked to end")


def test_pieces_ask_before_each():
    asked = []
    with asking(lambda: asked.append(1)):
        assert len(list(pieces(0, 1000, PIECE / 100))) == len(asked) == 10


def test_questions_nest_and_end():
    inner, outer = [], []
    with asking(lambda: outer.append(1)):
        with asking(lambda: inner.append(1)):
            list(pieces(0, 1, 1))
        list(pieces(0, 1, 1))
    list(pieces(0, 1, 1))
    assert (len(inner), len(outer)) == (1, 1)


def test_a_long_call_in_a_thread_is_abandoned():
    release = threading.Event()

    def work():
        with asking(refuse):
            return interruptible(release.wait, operations=2 * PIECE)

    found = in_thread(work)
    release.set()
    assert isinstance(found, InterruptedError)


def test_a_thread_that_nobody_asks_calls_directly():
    assert in_thread(lambda: interruptible(threading.get_ident, operations=2 * PIECE)) != threading.get_ident()


def test_other_threads_are_not_asked():
    with asking(refuse):
        assert in_thread(lambda: list(pieces(0, 2, 1))) == [(0, 2)]
        with pytest.raises(InterruptedError, match="asked to end"):
            list(pieces(0, 2, 1))
