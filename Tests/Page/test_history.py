"""The room's history: everyone can look at it, and people who may draw can restore it."""

import re

from person import number
from test_first_visit import Gate
from waiting import moment, wait_until

# The seconds between a change and a removal, or between a removal and its undoing, that the page must tell apart. A
# page stamps its changes by its own estimate of the server's time, which can be late.
CLOCKS = 0.3


def past(room):
    """A sun, then a moon too, then only the moon elsewhere. Returns both, and the milliseconds between these."""
    sun = room.add(kind="star", name="Sun", position=[100, 100], size=[100, 100], fill="#FFCC00")
    first = moment()
    moon = room.add(kind="ellipse", name="Moon", position=[400, 100], size=[100, 100])
    second = moment()
    room.write((moon, {"position": [500, 300], "fill": "#00FF00"}), (sun, {"deleted": True}))
    return sun, moon, (first, second)


def open_history(person):
    person.choose("History")
    person.page.get_by_label("Moment").wait_for()


def see_past(person, milliseconds, shapes=2):
    """Opens the history and goes back in time. Waits until the drawing of that time is shown, which has `shapes` shapes."""
    open_history(person)
    look_back(person, milliseconds)
    person.wait(f"app.isPast && app.session.shapeCount === {shapes}", f"the past with {shapes} shapes")


def look_back(person, milliseconds):
    """Moves the slider to a time."""
    person.page.evaluate(
        """async (at) => {
          const { from, to } = await (await fetch(`/v1/rooms/${canvasApp.room}/history`)).json()
          const slider = document.querySelector('.history .slider')
          slider.value = Math.round((at - from + 1) / (to - from + 1) * 1000)
          slider.dispatchEvent(new Event('input'))
        }""", milliseconds)


def test_the_slider_shows_the_room_as_it_was(room):
    """The past is drawn and listed, and can't be edited. What others do meanwhile is seen on the return."""
    sun, moon, (first, second) = past(room)
    ann, bob = room.join("Ann", at=(0, 0), panel="layers"), room.join("Bob", at=(0, 0))
    bob.run("app.edit((session) => session.place([{ id: value, x: 500, y: 310 }])); app.presence.setCursor({ x: 700, y: 500 }); return null",
            number(moon))
    ann.wait_for_shape(moon, "shape.y === 310")
    ann.wait("app.presence.people()[0].cursor")
    ann.painted()
    assert ann.picture("#overlay")[:, :, 3].any()
    see_past(ann, second)
    assert ann.shape(moon)["x"] == 400
    ann.painted()
    assert ann.drawn(sun)["x"] == 100
    assert not ann.picture("#overlay")[:, :, 3].any(), "where others are now isn't shown"
    assert ann.page.evaluate("getComputedStyle(document.body, '::after').borderTopWidth") == "6px", "the frame is tinted"
    words = ann.page.locator(".history output")
    assert re.fullmatch(r"Today, .* · Someone \(\w+\) drew Moon", words.inner_text()), words.inner_text()
    # Each step has its own mark on the slider, in the colour of its person. A move and a deletion are two steps even if
    # they happen at the same time.
    ann.wait("document.querySelectorAll('.history-marks span').length === 5")
    assert len(set(ann.page.evaluate(
        "[...document.querySelectorAll('.history-marks span')].map((mark) => parseFloat(mark.style.left).toFixed(0))"))) >= 3
    ann.page.get_by_label("Moment").press("Home")
    ann.wait("app.session.shapeCount === 0", "the beginning")
    ann.page.get_by_role("button", name="Play").click()
    # The playback takes larger steps on a busy machine, and might then skip the state with two shapes. So this waits
    # for any shapes.
    ann.wait("app.session.shapeCount > 0", "it is played")
    ann.wait("app.session.shapeCount === 1", "to its end")
    ann.page.get_by_role("button", name="Play").wait_for()
    ann.page.locator(".history output", has_text="Bob moved Moon").wait_for()
    ann.wait("document.querySelector('.history input[type=range]').value === '1000'", "its end")
    look_back(ann, first)
    ann.wait("app.session.shapeCount === 1", "the sun alone")
    ann.page.locator(".layer", has_text="Sun").wait_for()
    assert ann.page.locator(".toolbar").is_hidden()
    ann.run("app.edit((session) => session.clear()); return null")
    ann.notice("You’re looking at the past").wait_for()
    room.add(name="New", position=[700, 400])
    ann.page.get_by_role("button", name="Back to the present").click()
    ann.wait_for_shapes(2)
    ann.page.locator(".layer", has_text="New").wait_for()
    assert ann.drawn(sun) is None and ann.drawn(moon)["x"] == 500
    ann.painted()
    assert ann.picture("#overlay")[:, :, 3].any(), "and Bob is seen again"
    assert len(room.agree()) == 2


def test_what_is_restored_is_written_anew_and_can_be_undone(room):
    """Deleted shapes come back, new ones are deleted, and changed ones are as they were. All of it is one undo step. More
    than five shapes of others stay, and the past stays open, unless the person confirms."""
    sun, moon, (first, second) = past(room)
    ann, bob = room.join("Ann", forgive=["ERR_"]), room.witness()
    later = room.add(name="Later")
    bob.wait_for_shape(later)
    see_past(ann, second)
    # While another moment is asked for, the one before it can't be restored.
    restore, gate = ann.page.get_by_role("button", name="Restore"), Gate(ann.page, "*at=*")
    look_back(ann, first)
    wait_until(lambda: restore.is_disabled() and gate.held, "a moment is asked for")
    gate.open()
    ann.wait("app.session.shapeCount === 1", "the sun alone")
    assert restore.is_enabled()
    # One that fails holds up none that was chosen meanwhile.
    ann.page.unroute("**/*at=*")
    held = []
    ann.page.route("**/*?at=*", lambda route: route.continue_() if held else held.append(route))
    look_back(ann, second)
    wait_until(lambda: ann.see() or held, "that the moment is asked for")
    look_back(ann, second)
    held[0].abort()
    ann.wait("app.session.shapeCount === 2", "both")
    restore.click()
    notice = ann.notice("shapes changed back")
    # A notice stays while the pointer is over it.
    notice.hover()
    bob.wait_for_shape(sun)
    shapes = room.wait_for(lambda shapes: {shape["name"] for shape in shapes} == {"Sun", "Moon"})
    assert room.shape(moon)["position"] == [400, 100] and room.shape(moon)["fill"] == "#C0C0C0"
    assert room.shape(sun)["fill"] == "#FFCC00" and room.shape(sun)["kind"] == "star"
    room.agree()
    notice.get_by_role("button", name="Undo").click()
    room.wait_for(lambda shapes: {shape["name"] for shape in shapes} == {"Moon", "Later"})
    assert room.shape(moon)["position"] == [500, 300]

    ann.page.mouse.move(640, 400)
    room.guest("Bob")
    for at in range(5):
        room.add(kind="rectangle", position=[at * 60, 400], size=[50, 50])
    see_past(ann, second)
    asked = ann.page.get_by_role("dialog", name="Go back to how it was today")
    restore.click()
    asked.get_by_text("6 shapes that were drawn since will be gone. Bob is here too. You can undo it.").wait_for()
    asked.get_by_role("button", name="Cancel").click()
    ann.wait_for_no_dialog()
    assert len(room.shapes()) == 7 and ann.run("return app.isPast")
    restore.click()
    asked.get_by_role("button", name="Restore").click()
    room.wait_for(lambda shapes: {shape["name"] for shape in shapes} == {"Sun", "Moon"})
    ann.notice("8 shapes changed back").get_by_role("button", name="Undo").click()
    room.wait_for_shapes(7)


def test_history_by_keyboard_without_a_past_and_with_one_that_is_kept_no_more(room):
    """The arrow keys go back step by step, and Escape returns to the present, or takes back a drag. The slider leaves
    other keys to the page. A room without edits has no history."""
    ann = room.join("Ann", forgive=["404"])
    ann.choose("History")
    ann.notice("no history").wait_for()
    _, moon, _ = past(room)
    open_history(ann)
    ann.press("Home")
    ann.wait("app.isPast && app.session.shapeCount === 0", "the beginning")
    ann.press("End")
    ann.wait("app.session.shapeCount === 1", "the end")
    for key, words in (("ArrowLeft", "drew Moon"), ("ArrowLeft", "drew Sun"), ("ArrowRight", "drew Moon")):
        ann.press(key)
        ann.page.locator(".history output", has_text=words).wait_for()
    # A press on a step's mark shows the drawing after that step.
    mark, track = (each.bounding_box() for each in (ann.page.locator(".history-marks span").first, ann.page.get_by_label("Moment")))
    ann.page.mouse.click(mark["x"] + mark["width"] / 2, track["y"] + track["height"] / 2)
    ann.page.locator(".history output", has_text="drew Sun").wait_for()
    ann.look_at(5000, 5000)
    ann.press("Shift+Digit1")
    ann.wait("app.view.x < 1000", "the drawing is in view")
    ann.press("Escape")
    ann.wait("!app.isPast && app.session.shapeCount === 1", "now")
    open_history(ann)
    ann.take("select")
    ann.look_at(0, 0)
    ann.drag((550, 350), (700, 450), hold=True)
    ann.wait_for_shape(moon, "shape.x > 600")
    ann.press("Escape")
    ann.wait_for_shape(moon, "shape.x === 500")
    ann.page.mouse.up()
    assert ann.page.locator(".history").is_visible()
    # The server drops the whole history while it is open, so the page stops asking for it.
    ann.page.route("**/v1/rooms/*?at=*", lambda route: route.fulfill(status=404, body="{}"))
    ann.run("const slider = document.querySelector('.history .slider'); slider.value = 300; slider.dispatchEvent(new Event('input')); return null")
    ann.page.get_by_text("We can’t load that moment right now.").wait_for()


def test_of_a_large_drawing_only_who_is_told(room):
    """The server sends only who acted and when. The history can still be played step by step."""
    count = 3_001
    shapes = [(f"00a-{at // 1000:03d}-{at % 1000:03d}", {"kind": "ellipse", "position": [at % 60 * 20, at // 60 * 20], "size": [15, 15]})
              for at in range(count)]
    room.write(*shapes[:1])
    for first in range(1, count, 1000):
        room.write(*shapes[first:first + 1000])
    room.write(*((shape, {"deleted": True}) for shape, _ in shapes[:5]), *(("00b-" + shape[4:], values) for shape, values in shapes[:5]))
    asked = []
    ann = room.join("Ann", before=lambda page: page.on("request", lambda request: "?at=" in request.url and asked.append(request.url)))
    open_history(ann)
    ann.page.get_by_label("Moment").press("Home")
    ann.wait("app.isPast && app.session.shapeCount === 0", "the beginning")
    ann.page.get_by_role("button", name="Play").click()
    ann.wait("app.session.shapeCount > 0", "it is played")
    ann.page.get_by_role("button", name="Pause").click()
    ann.page.get_by_role("button", name="Play").wait_for()
    assert not any("stamps" in url for url in asked)
    output = ann.page.locator(".history output")
    ann.page.get_by_label("Moment").fill("500")
    output.filter(has_text=re.compile(r"Someone \(\w+\) changed the drawing")).wait_for()
    ann.page.get_by_label("Moment").press("End")
    output.filter(has_text=re.compile(r"Someone \(\w+\) removed 5 shapes")).wait_for()
    assert ann.page.locator(".history-marks span").count() == 6


def writes(ann, moon):
    ann.page.mouse.dblclick(*ann.middle(moon))
    ann.type("Hello")


def renames(ann, moon):
    ann.page.locator(".layer", has_text="Moon").locator(".layer-name").dblclick()
    ann.type("Luna")


def sets(ann, moon):
    ann.select(moon)
    ann.page.click("#tab-inspector")
    ann.page.get_by_label("X", exact=True).fill("55")


def draws(ann, moon):
    ann.take("pen")
    ann.drag((300, 400), (400, 450), hold=True)


def test_what_one_does_when_the_past_comes_is_kept(room):
    """The requested past arrives late, while the person is already doing something else. A kept text is announced."""
    _, moon, (first, _) = past(room)
    ann = room.join("Ann", panel="layers")
    for begins, kept in ((writes, {"text": "Hello"}), (renames, {"name": "Luna"}), (sets, {"position": [55, 300]}), (draws, {"kind": "ink"})):
        open_history(ann)
        gate = Gate(ann.page, "*at=*")
        look_back(ann, first)
        begins(ann, moon)
        wait_until(lambda: ann.see() or gate.held, "the past is asked for")
        gate.open()
        ann.wait("app.isPast", "the past")
        room.wait_for(lambda shapes: any(kept.items() <= shape.items() for shape in shapes))
        if begins is writes:
            ann.notice("What you wrote is kept").wait_for()
        ann.page.mouse.up()
        ann.page.get_by_role("button", name="Back to the present").click()
        ann.wait("!app.isPast", "the present")
        ann.painted()
        ann.leave_focus()


def test_on_a_phone_the_past_is_not_under_the_panel(room):
    """Restore and Back can be pressed, and Escape leaves the past wherever the focus is. Then the panel is back."""
    sun, moon, (first, second) = past(room)
    phone = room.join("Eve", phone=True)
    phone.page.get_by_role("button", name="Layers, inspector, overlaps").click()
    phone.page.locator(".panel").wait_for()
    phone.run("app.actions.history.run(); return null")
    phone.page.get_by_label("Moment").wait_for()
    look_back(phone, second)
    phone.wait("app.isPast", "the past")
    for name in ("Restore", "Back to the present"):
        phone.page.get_by_role("button", name=name).click(trial=True)
    phone.leave_focus()
    phone.press("Escape")
    phone.wait("!app.isPast", "the present")
    phone.page.locator(".panel").wait_for()


def test_a_server_that_never_answers_is_given_up(room):
    """The page waits as long as a proxy would, says so, and offers another try."""
    past(room)
    ann = room.join("Ann", clock=True)
    ann.run("app.exchange()")
    ann.forgive("ERR_")
    held = []
    ann.page.route("**/history?steps=1", lambda route: held.append(route))
    ann.run("app.actions.history.run(); return null")
    for _ in range(200):
        if held:
            break
        ann.pass_time(10)
    assert held
    said = ann.notice("can’t reach the server")
    ann.pass_time(50_000)
    assert said.count() == 0, "it may be at work"
    ann.pass_time(10_100)
    wait_until(lambda: ann.pass_time(20) or said.count(), "that it says so")
    ann.page.unroute("**/history?steps=1")
    open_history(ann)
