"""Gestures that change only the view. More is in Tests/gestures/hands.test.mjs."""

from hand import near
from test_exchange import LAYOUT, PASTE

SQUARE = {"position": [200, 200], "size": [100, 100]}


def test_wheels_keys_middle_button_and_space_move_the_paper(room):
    """The view moves, and the shapes keep their places on the canvas. Linux pastes when the middle button is released,
    which pastes nothing here. A key still pastes."""
    shape = room.add(**SQUARE)
    ann = room.join("Ann", at=(0, 0), clock=True)
    view = lambda: ann.run("({ x: app.view.x, y: app.view.y, scale: app.view.scale })")
    ann.page.mouse.move(600, 500)
    ann.page.mouse.wheel(40, 100)
    ann.wait("app.view.x === 40 && app.view.y === 100", "the wheel pans")
    with ann.holding("Control"):
        ann.page.mouse.wheel(0, -60)
    ann.wait("app.view.scale > 1.2", "the wheel zooms")
    zoomed = view()
    assert near(zoomed["x"] + 600 / zoomed["scale"], 640) and near(zoomed["y"] + 500 / zoomed["scale"], 600)
    ann.look_at(0, 0)
    ann.press("+")
    step = view()["scale"]
    assert step > 1
    for key, scale in (("+", step ** 3), ("-", step)):
        # A held key repeats.
        for _ in range(2):
            ann.page.keyboard.down(key)
        ann.page.keyboard.up(key)
        assert near(view()["scale"], scale, 1e-6)
    ann.look_at(0, 0)
    ann.page.evaluate(
        f"(text) => document.addEventListener('mouseup', (event) => {{ if (event.button === 1) ({PASTE})([text, null]) }})", LAYOUT)
    ann.page.mouse.move(250, 250)
    ann.mouse_down(button="middle")
    ann.page.mouse.move(300, 330, steps=4)
    ann.page.mouse.up(button="middle")
    ann.pass_time(300)
    assert near([view()["x"], view()["y"]], [-50, -80])
    # The button that was pressed last doesn't get the key.
    ann.page.locator("[data-tool=rectangle]:visible").first.click()
    ann.drag((320, 340), (420, 300), modifiers=[" "])
    assert near([view()["x"], view()["y"]], [-150, -40])
    with ann.holding(" "):
        ann.wait("document.getElementById('stage').style.cursor === 'grab'")
        ann.page.evaluate("dispatchEvent(new Event('blur'))")
        ann.wait("document.getElementById('stage').style.cursor !== 'grab'", "another window hears that it is released")
    room.agree()
    assert ann.shape(shape)["x"] == 200 and len(ann.shapes()) == 1 and not ann.run("app.session.canUndo")
    ann.page.evaluate(PASTE, [LAYOUT, None])
    ann.wait_for_shapes(3)


def test_two_fingers_on_the_paper_pan_and_zoom(room):
    """No shape is drawn, and the browser doesn't zoom. With other tools, and with one finger: Tests/gestures."""
    shape = room.add(position=[1000, 1000])
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    phone.touch.pinch((200, 400), 50, 100, steps=20)
    phone.wait("app.view.scale > 1.7", "it zooms")
    assert phone.run("app.session.shapeCount") == 1
    assert phone.page.evaluate("visualViewport.scale") == 1
    phone.look_at(0, 0)
    phone.touch.start((150, 400))
    phone.touch.start((150, 400), (250, 400))
    for step in range(1, 11):
        phone.touch.move((150 + 10 * step, 400 + 5 * step), (250 + 10 * step, 400 + 5 * step))
    phone.touch.end()
    phone.wait("app.view.x < -85 && app.view.y < -40", "it pans")
    assert near(phone.run("app.view.scale"), 1, 1e-6), "fingers that keep their distance don't zoom"
    room.agree()
    assert phone.run("app.session.shapeCount") == 1
