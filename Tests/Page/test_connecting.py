"""Arrows by keyboard alone: a shape is connected to another one that is chosen from a list, and ends are tied anew."""

from hand import HALF, WHOLE
from listener import Listener
from server import identifier


def boxes(room):
    return [
        room.add(kind="rectangle", text=text, position=[x, 200], size=[100, 100])
        for text, x in (("Idea", 100), ("Valid?", 300), ("Dashboard", 700))]


def connects(person, shape):
    """Waits for the shape, selects it, and presses the key that connects it."""
    person.wait_for_shape(shape)
    person.select(shape)
    person.press("Alt+k")


def tied(line):
    return [line.get(end) and line[end][0] for end in ("from", "to")]


def test_a_shape_is_connected_by_keys(room):
    """The list has the nearest shape first. Typing finds another one, Enter draws the arrow, and Escape draws none."""
    idea, valid, board = boxes(room)
    ann = room.join("Ann")
    listener = Listener(ann)
    ann.press("v")
    ann.select(idea)
    ann.press("Alt+k")
    ann.page.get_by_role("dialog", name="Connect Rectangle “Idea” to").wait_for()
    options = ann.page.get_by_role("option")
    assert options.all_inner_texts() == ["Rectangle “Valid?”, right", "Rectangle “Dashboard”, right"]
    assert listener.focus() == "combobox, Text or name, expanded"
    for key, at in (("ArrowUp", 1), ("ArrowDown", 0)):
        ann.press(key)
        chosen = [option.get_attribute("aria-selected") for option in options.all()]
        assert chosen.index("true") == at, "the list goes round"
    ann.press("Escape")
    ann.wait_for_no_dialog()
    assert not any(shape["kind"] == "line" for shape in room.shapes())
    ann.press("Alt+k")
    options.first.wait_for()
    ann.click(5, 5)
    ann.wait_for_no_dialog()
    # Somebody deletes the chosen shape while the list is open.
    ann.press("Alt+k")
    options.first.wait_for()
    ann.learns(valid, deleted=True)
    ann.press("Enter")
    ann.notice("Somebody has deleted one of them").wait_for()
    assert not any(shape["kind"] == "line" for shape in room.shapes())
    room.write((valid, {"kind": "rectangle", "text": "Valid?", "position": [300, 200], "size": [100, 100]}))
    ann.wait_for_shapes(3)
    ann.press("Alt+k")
    options.first.wait_for()
    ann.type("dash")
    ann.see()
    assert options.all_inner_texts() == ["Rectangle “Dashboard”, right"]
    # What is typed is selected by a drag that ends outside the dialog, which only a press there closes.
    field = ann.page.get_by_role("combobox").bounding_box()
    ann.drag((field["x"] + field["width"] / 2, field["y"] + field["height"] / 2), (5, field["y"]))
    ann.see()
    assert options.all_inner_texts() == ["Rectangle “Dashboard”, right"]
    ann.press("Enter")
    line = room.wait_for_shapes(4)[-1]
    assert tied(line) == [idea, board] and line["toEnd"] == "arrow"
    assert [end[1:] for end in (line["from"], line["to"])] == [[WHOLE, HALF], [0, HALF]], "between the sides that face each other"
    listener.hear("Arrow from “Idea” to “Dashboard” added.")
    assert ann.selected() == [line["id"]]
    ann.press("Control+z")
    room.wait_for_shapes(3)


def test_an_end_is_tied_anew_by_keys(room):
    """With a line selected, the same key asks which end, and ties that to the shape that is chosen, unless the line is
    locked by then. The other end stays."""
    idea, valid, board = boxes(room)
    line = room.add(kind="line", toEnd="arrow", position=[200, 250], size=[400, 10], **{"from": [idea, WHOLE, HALF]})
    ann = room.join("Ann")
    ann.press("v")
    connects(ann, line)
    ann.page.get_by_role("dialog", name="Tie an end of Arrow from “Idea”").wait_for()
    assert ann.page.get_by_role("radio", name="End, now loose").is_checked()
    ann.page.get_by_role("combobox").press("ArrowDown")
    ann.press("ArrowUp", "Enter")
    room.wait_for(lambda shapes: tied(room.shape(line)) == [idea, valid])
    assert room.shape(line)["to"][1:] == [0, HALF], "at the side that faces the line, though its end was behind the shape"
    ann.press("Alt+k")
    radio = ann.page.get_by_role("radio", name="Beginning, now at Rectangle “Idea”")
    radio.focus()
    ann.press("Space")
    ann.page.get_by_role("combobox").focus()
    ann.type("dash", "Enter")
    room.wait_for(lambda shapes: tied(room.shape(line)) == [board, valid])
    ann.select(line)
    ann.press("Control+z")
    room.wait_for(lambda shapes: tied(room.shape(line)) == [idea, valid])

    ann.learns(line, locked=True)
    ann.press("Alt+k")
    notice = ann.notice("is locked")
    notice.wait_for()
    assert ann.page.get_by_role("dialog").count() == 0
    # It is locked while the list is open.
    notice.get_by_role("button", name="Unlock").click()
    ann.wait_for_shape(line, "!shape.locked")
    ann.press("Alt+k")
    ann.page.get_by_role("option").first.wait_for()
    ann.learns(line, locked=True)
    ann.press("Enter")
    notice.wait_for()
    room.wait_until_sent()
    assert tied(room.shape(line)) == [idea, valid]

    # S17: the turns of an elbow line are worked out where it is drawn. Stored, they would be bends once it is straight.
    elbow = room.add(kind="line", route="elbow", **{"from": [idea, HALF, HALF], "to": [board, HALF, HALF]})
    connects(ann, elbow)
    ann.page.get_by_role("combobox").press("Enter")
    room.wait_for(lambda shapes: tied(room.shape(elbow)) in ([idea, valid], [valid, board]))
    assert len(room.shape(elbow)["path"]) == 2

    # Ends that are further apart than a line can be long.
    room.write(*((shape, {"deleted": True}) for shape in (idea, valid, board, line, elbow)))
    far = room.add(kind="rectangle", position=[-50_000, 0], size=[100, 100])
    long = room.add(kind="line", position=[0, 50], size=[990_000, 1], path=[[0, 0], [WHOLE, 0]])
    ann.wait_for_shapes(2)
    connects(ann, long)
    ann.page.get_by_role("radio", name="Beginning, now loose").focus()
    ann.press("Space")
    ann.page.get_by_role("combobox").press("Enter")
    room.wait_for(lambda shapes: tied(room.shape(long)) == [far, None])
    assert room.shape(long)["position"][0] + room.shape(long)["size"][0] == 990_000

    # Between shapes that touch, the arrow is long enough to be seen.
    room.write((far, {"deleted": True}), (long, {"deleted": True}))
    one, other = [room.add(kind="rectangle", text=text, position=[100, y], size=[100, 100]) for text, y in (("One", 100), ("Two", 200))]
    ann.wait_for_shapes(2)
    connects(ann, one)
    ann.page.get_by_role("option").first.wait_for()
    ann.press("Enter")
    arrow = room.wait_for_shapes(3)[-1]
    assert tied(arrow) == [one, other] and max(arrow["size"]) > 24, arrow


def test_a_large_drawing_is_put_into_words_only_as_far_as_it_is_listed_or_searched(room):
    origin, *_ = ids = [identifier() for _ in range(300)]
    room.write(*((each, {"kind": "rectangle", "position": [100 * at, 100], "size": [50, 50]}) for at, each in enumerate(ids)))
    ann = room.join("Ann")
    ann.press("v")
    ann.select(origin)
    ann.run("""window.asked = new Map()
      const { shownName } = app.session
      app.session.shownName = (id) => {
        window.asked.set(id, (window.asked.get(id) ?? 0) + 1)
        return shownName.call(app.session, id)
      }
      return null""")
    ann.press("Alt+k")
    ann.page.locator("dialog", has_text="100 of 299 shapes").wait_for()
    assert ann.run("window.asked.size") <= 1 + 100
    ann.run("window.asked.clear(); return null")
    ann.type("rect")
    ann.page.locator("dialog", has_text="100 of 299 shapes").wait_for()
    assert ann.run("Math.max(...window.asked.values())") == 1, "each once, also while one types on"
