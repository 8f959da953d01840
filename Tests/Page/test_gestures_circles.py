"""Circles: a double tap makes one, holding lifts it, and a triple tap deletes it."""

from hand import is_bright, near, seen, tap, watch
from person import number

FILL, DELETED = 1 << 3, 1 << 6


def test_a_double_tap_on_nothing_makes_a_circle_there(room):
    """A double tap works by mouse and by finger. The circle is 100 by 100, bright, and centred on the tap."""
    ann = room.join("Ann", stopped=True, at=(0, 0))
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    tap(ann, 400, 300, times=2)
    phone.wait_for_shapes(1)
    tap(phone, 60, 500, times=2)
    ann.wait_for_shapes(2)
    first, second = room.agree()
    assert [first["kind"], second["kind"]] == ["ellipse", "ellipse"]
    assert first["position"] == [350, 250] and first["size"] == [100, 100]
    assert near(second["position"], [10, 450]) and second["size"] == [100, 100]
    assert is_bright(first["fill"]) and is_bright(second["fill"])


def test_press_and_hold_lifts_and_the_circle_follows_without_a_jump(room):
    """Lifted, it is larger and lighter, and others see by whom. Releasing it lowers it."""
    circle = room.add(kind="ellipse", position=[100, 300], size=[100, 100])
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    bob = room.join("Bob")
    phone.touch.start((120, 320))
    phone.pass_time(390)
    assert phone.drawn(circle)["growth"] == 1
    # The animation that lifts the circle takes some frames.
    phone.pass_time(80)
    assert 1 < phone.drawn(circle)["growth"] < 1.06 and 0.85 < phone.drawn(circle)["opacity"] < 1
    phone.pass_time(240)
    lifted = phone.drawn(circle)
    assert near(lifted["growth"], 1.06, 0.001) and near(lifted["opacity"], 0.85, 0.001)
    assert phone.shape(circle)["x"] == 100
    bob.wait(f"app.presence.people().some((person) => person.name === 'Eve' && person.lifted.includes({number(circle)}))",
             "Bob knows who lifted it")
    bob.wait(f"app.scene.drawn({number(circle)}).growth === 1.06 && app.scene.drawn({number(circle)}).opacity === 0.85", "Bob sees it lifted")
    # The finger touches the circle off-centre. The circle must move exactly as far as the finger, without jumping to
    # its centre.
    phone.touch.move((123, 321))
    phone.pass_time(16)
    assert near([phone.shape(circle)["x"], phone.shape(circle)["y"]], [103, 301])
    phone.touch.move((220, 420))
    phone.pass_time(300)
    phone.touch.end()
    phone.pass_time(400)
    bob.wait_for_shape(circle, "Math.abs(shape.x - 200) < 1 && Math.abs(shape.y - 400) < 1")
    bob.wait(f"app.presence.people().every((person) => person.lifted.length === 0)", "Bob knows that it was put down")
    bob.wait(f"app.scene.drawn({number(circle)}).growth === 1", "Bob sees it lowered")
    assert near(phone.drawn(circle)["growth"], 1, 0.001)


def test_a_triple_tap_removes_and_never_acts_as_a_double_tap_first(room):
    """By mouse and by finger. The circle never changes its colour in between, for anybody."""
    circles = [room.add(kind="ellipse", position=[150, 150 + 200 * at], size=[120, 120], fill="#0000FF") for at in (0, 1)]
    ann = room.join("Ann", clock=True, at=(0, 0))
    phone = room.join("Eve", phone=True, clock=True, at=(0, 0))
    for person in (ann, phone):
        person.stop_clock()
        watch(person)
    tap(ann, 200, 200, times=3)
    phone.wait_for_shapes(1)
    ann.notice("removed.").wait_for()
    tap(phone, 200, 400, times=3)
    ann.wait_for_shapes(0)
    for person in (ann, phone):
        person.pass_time(100)
    room.agree()
    for person in (ann, phone):
        for circle in circles:
            changes = seen(person, circle)
            assert len(changes) == 1 and not changes[0]["isThere"] and changes[0]["departure"] is None, changes
    # Each deletion is one undo step.
    ann.press("Control+z")
    phone.wait_for_shape(circles[0], "shape.fill === '#0000FF'")
