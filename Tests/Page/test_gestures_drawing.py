"""Clearing the canvas by shaking, and who is asked. What hands draw is tested in Tests/gestures/hands.test.mjs."""

from waiting import wait_until


def test_a_shake_clears_everything_and_can_be_undone(room):
    """The page asks, because Eve is there. Carrying the phone does nothing, more shaking doesn't ask again."""
    for at in range(3):
        room.add(position=[20 + 100 * at, 200], size=[80, 80])
    phone, bob = room.join("Ann", phone=True, at=(0, 0)), room.witness()
    room.guest("Eve")
    phone.wait_for_shapes(3)
    phone.wait("app.presence.people().length === 1")
    swing = """(strength) => { for (let turn = 0; turn < 6; turn++) dispatchEvent(new DeviceMotionEvent('devicemotion', {
      acceleration: { x: turn % 2 ? strength : -strength, y: 2, z: 1 }, interval: 16 })) }"""
    phone.page.evaluate(swing, 6)
    phone.painted()
    assert phone.run("app.session.shapeCount") == 3
    agree = phone.page.get_by_role("dialog", name="Clear everything?").get_by_role("button", name="Clear everything")
    # The first measurement has let the page load what recognises shaking.
    wait_until(lambda: phone.page.evaluate(swing, 22) or agree.count(), "the page asks")
    phone.run("app.shaking.tell('shaken', null); return null")
    phone.painted()
    agree.click()
    bob.wait_for_shapes(0)
    assert phone.page.get_by_role("dialog").count() == 0
    phone.run("app.edit((session) => session.undo()); return null")
    bob.wait_for_shapes(3)


def test_a_phone_whose_sensor_has_to_be_asked_for_has_that_in_its_menu(room):
    room.add(position=[20, 200], size=[80, 80])
    ask = "DeviceMotionEvent.requestPermission = async () => { window.isAsked = true; return 'granted' }"
    phone = room.join("Ann", phone=True, before=lambda page: page.add_init_script(ask))
    phone.choose("Turn on shake to clear")
    phone.wait("window.isAsked")


def test_who_is_asked_hears_of_all_the_others(room):
    """In a crowd only some people are listed by name, but all are counted. The question's focus is on Cancel, so who types
    a name that has a B, and presses Enter, empties no canvas. Other letters: Tests/gestures/hands.test.mjs."""
    room.add(position=[100, 200])
    ann = room.join("Ann")
    for named, crowd, words in [
        (["Bob", "Eve"], 0, "Bob and Eve are here too"), (["Bob", "Eve", "Zoe"], 1_100, "Bob and 1,098 others are here too"),
        (["Bob"], 3, "Bob and 1 other are here too"), ([], 800, "799 others are here too"),
        ([], 2, "Somebody else is here too"),
    ]:
        peers = [{"actor": 5000 + at, "name": name, "color": "#15803D", "state": {}} for at, name in enumerate(named)]
        ann.run("app.perform([{ type: 'peers', peers: value.peers }, { type: 'crowd', people: value.crowd }]); return null",
                {"peers": peers, "crowd": crowd})
        ann.press("Shift+b")
        asked = ann.page.get_by_role("dialog")
        assert words in asked.inner_text()
        assert ann.page.evaluate("document.activeElement.textContent") == "Cancel"
        ann.press("Enter")
        ann.wait_for_no_dialog()
    assert len(room.shapes()) == 1
