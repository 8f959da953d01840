"""A monkey at the page: see monkey.py. The same few histories each time; `make soak` goes on to others."""

import pytest

from monkey import history, live, live_together

LENGTH = 25


@pytest.mark.parametrize("seed", [3, 4])
def test_whatever_a_mouse_does_can_be_undone_step_by_step(room, seed):
    live(room, history(seed, LENGTH, False), False)


@pytest.mark.parametrize("seed", [660, 1586])
def test_whatever_fingers_do_can_be_undone_step_by_step(room, seed):
    """In both, a second finger touches and leaves in the middle of a drag, and a shape is added that is a step of its own."""
    live(room, history(seed, LENGTH, True), True)


def test_whatever_three_do_at_once_all_agree_and_nobody_undoes_the_other(room):
    """One at a desk, one at a phone, one at a terminal."""
    live_together(room, history(7, LENGTH, False), history(8, LENGTH, True), history(9, LENGTH, False))
