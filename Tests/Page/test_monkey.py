"""The monkey test of the page, see monkey.py. The histories here are always the same. `make soak` tries others."""

import pytest

from monkey import DESKS, PHONES, TOOLS, dealt, history, live, live_together

LENGTH = 25
SEED = {"mouse": 6, "fingers": 4}


def does(room, hand, part, size):
    """Plays one part of the histories that together have all deeds of an input device. Fails if one of the deeds had
    nothing to act on."""
    deeds = dealt(SEED[hand], hand == "fingers", 2)[part]
    happened = live(room, deeds, hand == "fingers", size)
    missed = {name for name, _ in deeds} - happened - {"undo", "redo"}
    assert not missed, f"there was nothing to do these to: {missed}"


@pytest.mark.parametrize("part", [0, 1])
def test_whatever_a_mouse_does_can_be_undone_step_by_step(room, part):
    does(room, "mouse", part, DESKS[part * 2])


@pytest.mark.parametrize("part", [0, 1])
def test_whatever_fingers_do_can_be_undone_step_by_step(room, part):
    does(room, "fingers", part, PHONES[part])


def test_a_monkey_has_all_tools(room):
    ann = room.join("Ann")
    held = ann.page.evaluate("[...new Set([...document.querySelectorAll('[data-tool]')].map((button) => button.dataset.tool))]")
    assert set(TOOLS) == {*held, "hand"}


def test_whatever_three_do_at_once_all_agree_and_nobody_undoes_the_other(room):
    """One person at a computer, one at a phone, and one at a terminal."""
    live_together(room, history(7, LENGTH, False), history(8, LENGTH, True), history(9, LENGTH, False))
