"""What happens to a gesture when something else changes meanwhile: the network, the server, the page, or other people's
edits."""

from hand import lead, let_go
from test_exchange import DROP, LAYOUT, PASTE
from test_offline import MISSED


def test_a_drag_outlasts_the_server_that_is_killed_in_the_middle_of_it(world):
    """The drag continues without answers, and no edit is lost when the server is back."""
    with world.own_room() as room:
        square, other = (room.add(position=[200, 200 + 200 * at], size=[100, 100]) for at in (0, 1))
        ann, bob = (room.join(name, at=(0, 0), forgive=MISSED) for name in ("Ann", "Bob"))
        ann.drag((250, 250), (350, 300), hold=True)
        bob.wait_for_shape(square, "shape.x === 300")
        room.server.kill()
        ann.wait("app.session.status().state !== 'live'", "Ann is offline")
        ann.page.mouse.move(500, 350, steps=8)
        lead(bob, (250, 450), (400, 480))
        room.server.start()
        ann.page.mouse.move(600, 400, steps=8)
        let_go(ann)
        for person in (ann, bob):
            person.wait("app.session.status().state === 'live'", "everyone is back")
        bob.wait_for_shape(square, "shape.x === 550 && shape.y === 350")
        ann.wait_for_shape(other, "shape.x === 350 && shape.y === 430")
        room.agree()
        ann.press("Control+z")
        bob.wait_for_shape(square, "shape.x === 200 && shape.y === 200")
        room.agree()


def test_what_was_dragged_is_kept_when_the_page_is_loaded_anew_in_the_middle(room):
    """The shape is where it was dragged to. The reloaded page has no unfinished gesture."""
    square = room.add(position=[200, 200], size=[100, 100])
    ann = room.join("Ann", at=(0, 0))
    bob = room.witness()
    ann.drag((250, 250), (400, 300), hold=True)
    bob.wait_for_shape(square, "shape.x === 350")
    ann.reload()
    ann.page.mouse.up()
    ann.look_at(0, 0)
    ann.wait_for_shape(square, "shape.x === 350 && shape.y === 250")
    lead(ann, (400, 300), (450, 320))
    bob.wait_for_shape(square, "shape.x === 400 && shape.y === 270")
    room.agree(ann)


def test_what_comes_during_a_drag_is_a_step_of_its_own(room):
    """The drag ends where it is. Escape reverts nothing, and one undo removes only what came."""
    moon = room.add(kind="rectangle", position=[100, 300], size=[120, 120])
    ann = room.join("Ann", at=(0, 0))
    ann.run("app.exchange()")
    add = ann.page.locator("[data-action=addSquare]:visible").first
    for comes, count in [(lambda: ann.page.evaluate(DROP, [LAYOUT, "squares.json"]), 2), (lambda: ann.page.evaluate(PASTE, [LAYOUT, None]), 2),
                         (lambda: add.evaluate("(button) => button.click()"), 1)]:
        began = ann.shape(moon)["x"]
        ann.drag((began + 50, 350), (began + 130, 350), hold=True)
        comes()
        ann.wait_for_shapes(1 + count)
        ann.give_up()
        ann.painted()
        place = ann.shape(moon)["x"]
        assert len(ann.shapes()) == 1 + count and place > began
        ann.run("app.editing.undo(); return null")
        ann.wait_for_shapes(1)
        assert ann.shape(moon)["x"] == place
