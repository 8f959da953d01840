"""Import and export: files dropped, pasted and saved."""

import functools
import json
import struct
import xml.etree.ElementTree as XML

from boards import FIRST_NOTE
from hand import HALF

LAYOUT = "{'squares': [{ 'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250}, {'x': 10, 'y': 20, 'colour': '#00ff00', 'size': 40}]}"

DROP = """([text, name]) => {
  const data = new DataTransfer()
  if (name) data.items.add(new File([text], name))
  else data.setData('text/plain', text)
  for (const type of ['dragenter', 'dragover', 'drop']) {
    document.getElementById('stage').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
  }
}"""


def test_a_layout_is_dropped(room):
    """As a file, as text, or chosen in the menu. Its shapes are where it says, and are one undo step."""
    ann, bob = room.join("Ann"), room.witness()
    ann.page.evaluate(DROP, [LAYOUT, "squares.json"])
    bob.wait_for_shapes(2)
    red = next(shape for shape in room.agree() if shape["fill"] == "#FF0000")
    assert red["position"] == [120, 230] and red["size"] == [250, 250] and red["kind"] == "rectangle"
    ann.press("Control+z")
    bob.wait_for_shapes(0)
    ann.page.evaluate(DROP, [LAYOUT, ""])
    bob.wait_for_shapes(2)
    with ann.page.expect_file_chooser() as chooser:
        ann.choose("Import…")
    chooser.value.set_files({"name": "squares.json", "mimeType": "application/json", "buffer": LAYOUT.encode()})
    bob.wait_for_shapes(4)


def test_a_drawing_is_saved_and_brought_into_another_room(world, room):
    """The drawing is saved as JSON that another room can import, as valid SVG, and as a PNG. The files and the picture
    have the name of the room as people read it."""
    shown = f"{room.name} plan"
    room = world.room(name=f"{room.name}_plan..0")
    for at, kind in enumerate(["rectangle", "roundedRectangle", "ellipse", "polygon", "star"]):
        room.add(kind=kind, name=f"<{kind}> & \"more\"", position=[at * 150, at * 50], rotation=at * 10, fill="#336699", alpha=7)
    ann = room.join("Ann")
    saved = {}
    for suffix in ["JSON", "SVG", "PNG"]:
        name, saved[suffix] = ann.export(suffix)
        assert name == f"{shown}.{suffix.lower()}"
    assert len(json.loads(saved["JSON"])["shapes"]) == 5
    picture = XML.fromstring(saved["SVG"])
    assert picture.tag.endswith("svg") and picture[0].text == shown
    assert png_size(saved["PNG"]) and len(saved["PNG"]) > 1000
    other = world.room()
    bob = other.join("Bob", panel="layers")
    bob.page.evaluate(DROP, [saved["JSON"].decode(), "drawing.json"])
    shapes = other.wait_for_shapes(5)
    strip = lambda shapes: [{key: value for key, value in shape.items() if key not in ("id", "z")} for shape in shapes]
    assert strip(shapes) == strip(room.shapes())
    bob.page.locator(".layer", has_text="<star>").wait_for()


def png_size(data):
    assert data.startswith(b"\x89PNG")
    return struct.unpack(">II", data[16:24])


PASTE = """([text, file]) => {
  const data = new DataTransfer()
  if (file) data.items.add(new File(['x'], file.name, { type: file.type }))
  else if (text) data.setData('text/plain', text)
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
}"""


def test_what_is_pasted_comes_to_the_pointer(room):
    """If the mouse hasn't moved since copying, the copy is next to the original. Other rooms take it too."""
    room.add(kind="ellipse", position=[200, 200], size=[100, 80], name="Sun")
    room.add(position=[300, 240], size=[60, 60])
    ann = room.join("Ann", at=(0, 0), clipboard=True)

    def places(count):
        return {tuple(shape["position"]) for shape in room.wait_for_shapes(count)}

    ann.click(250, 240)
    ann.press("Control+c", "Control+v")
    assert (220, 220) in places(3)
    ann.page.mouse.move(700, 500)
    ann.press("Control+v")
    assert (650, 460) in places(4)
    ann.press("Control+v")
    assert (670, 480) in places(5)
    ann.press("Control+a", "Control+x")
    room.wait_for_shapes(0)
    ann.run("app.view.zoomAt({ x: 0, y: 0 }, 2); return null")
    ann.page.mouse.click(600, 400, button="right")
    ann.page.get_by_role("menuitem", name="Paste").click()
    # The box around all five shapes is 570 by 360. The copies are centred where the menu was opened, at (300, 200).
    assert (300 - 285, 200 - 180) in places(5)
    elsewhere = room.world.room(name=f"{room.name}-elsewhere")
    there = elsewhere.join("Ann", context=ann.context)
    there.page.bring_to_front()
    there.press("Control+v")
    copies = elsewhere.wait_for_shapes(5)
    assert [(shape["kind"], shape["size"]) for shape in copies if shape["name"].startswith("Sun")] == [("ellipse", [100, 80])] * 4


def test_without_https_what_a_menu_has_cut_is_pasted_by_keys(room):
    """There is no `navigator.clipboard`. Keys paste from the system's clipboard, which had an older text."""
    sun = room.add(name="Sun", position=[200, 200], size=[100, 80], fill="#FF0000")
    ann = room.join("Ann", at=(0, 0), before=lambda page: page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined })"))
    ann.page.evaluate("document.addEventListener('copy', (event) => { event.clipboardData.setData('text/plain', 'old'); event.preventDefault() },"
                      " { once: true }); document.execCommand('copy')")
    ann.select(sun)
    ann.page.mouse.click(250, 240, button="right")
    ann.page.get_by_role("menuitem", name="Cut").click()
    room.wait_for_shapes(0)
    ann.press("Control+v")
    (back,) = room.wait_for_shapes(1)
    assert (back["name"], back["fill"], back["size"]) == ("Sun", "#FF0000", [100, 80])


def test_a_part_is_copied_as_a_picture_and_saved(room):
    """Only the selected shapes are copied and saved as PNG and SVG. So is a line that leads farther than any in a
    document: the copy has the line's own points."""
    sun = room.add(kind="ellipse", position=[200, 200], size=[100, 80], fill="#FF0000")
    room.add(position=[900, 240], size=[60, 60], fill="#0000FF")
    far = room.add(position=[3_000_000, 0], size=[100, 100])
    line = room.add(kind="line", strokeWidth=4, **{"from": [sun, HALF, HALF], "to": [far, HALF, HALF]})
    ann = room.join("Ann", at=(0, 0), clipboard=True)

    def choose(entry):
        ann.page.mouse.click(250, 220, button="right")
        ann.page.get_by_role("menuitem", name=entry, exact=True).click()

    choose("Copy as SVG")
    ann.notice("Copied as SVG").wait_for()
    copied = ann.page.evaluate("navigator.clipboard.readText()")
    assert XML.fromstring(copied).tag.endswith("svg") and "#FF0000" in copied and "#0000FF" not in copied
    choose("Copy as PNG")
    ann.notice("Copied as PNG").wait_for()
    size = ann.page.evaluate("""navigator.clipboard.read().then(async ([item]) => {
      const { width, height } = await createImageBitmap(await item.getType('image/png'))
      return [width, height]
    })""")
    assert 200 <= size[0] < 500 and 160 <= size[1] < 500, size
    for suffix in ["PNG", "SVG", "JSON"]:
        name, content = ann.export(suffix, lambda: choose(f"Export selection as {suffix}" + ("…" if suffix == "PNG" else "")))
        assert name == f"{room.name}-selection.{suffix.lower()}"
    assert len(json.loads(content)["shapes"]) == 1
    assert ann.selected() == [sun]
    ann.select(sun, line)
    _, picture = ann.export("SVG", choose=lambda: ann.run("app.actions.saveSelectionSVG.run(); return null"))
    assert b"<path" in picture or b"<line" in picture or b"<polyline" in picture, picture
    ann.press("Control+d")
    ann.wait_for_shapes(6)


def test_pasted_lines_become_notes_and_one_line_a_text(room):
    """The notes lie around the pointer, have the next note's look, and are one step of undo. How they lie, and what becomes
    of long and odd lines: Tests/gestures/looks.test.mjs and text.test.mjs."""
    ann = room.join("Ann", at=(0, 0))
    ann.press("v")
    ann.page.mouse.move(640, 400)
    ann.run("app.paint.choose({ textSize: 32 }); return null")
    ann.page.evaluate(PASTE, ["- Alpha\r\n\n  \u2022 Beta\n* Gamma\tdelta\n" + "long " * 200 + "\n4 is a number\u0007", None])
    notes = room.wait_for_shapes(5)
    assert [note["text"] for note in notes] == ["Alpha", "Beta", "Gamma    delta", ("long " * 200).strip(), "4 is a number"]
    assert all(note["fill"] == FIRST_NOTE for note in notes)
    assert [note["textSize"] for note in notes] == [32, 32, 32, 12.4613, 32], "a long text is smaller"
    assert notes[0]["position"] == [640 - 320, round(400 - (220 + notes[3]["size"][1]) / 2)]
    assert sorted(ann.selected()) == sorted(note["id"] for note in notes)
    ann.press("Control+z")
    room.wait_for_shapes(0)
    for words in ("{ \"color\": 1 }", "[{ \"a\": 1 }]", "[ ] One line, which is no drawing"):
        ann.page.evaluate(PASTE, [words, None])
        (text,) = room.wait_for_shapes(1)
        assert (text["kind"], text["text"], text["textAlign"]) == ("text", words, "left")
        assert abs(text["position"][0] + text["size"][0] / 2 - 640) <= 1 and abs(text["position"][1] + text["size"][1] / 2 - 400) <= 1
        ann.press("Control+z")
        room.wait_for_shapes(0)
    ann.page.evaluate(PASTE, ["line\n" * 101 + "x" * 5000, None])
    (text,) = room.wait_for_shapes(1)
    assert text["kind"] == "text" and text["text"].startswith("line\nline") and len(text["text"]) == 4096
    ann.notice("Its end is left out").wait_for()


def test_what_cannot_be_dropped_or_pasted_is_said(room):
    """Files that are no drawings or are broken, and values out of range, change nothing. The page says why it can't
    paste a picture, another file, or an empty clipboard. A dropped folder looks like a file, but can't be read. A field
    accepts dropped text as usual."""
    ann = room.join("Ann")
    foreign = "board.excalidraw isn’t a CanvasSync drawing."
    square = '{"x": 0, "y": 0, "size": 5, "colour": "#112233"}'
    for text, words in [
        ("<svg></svg>", foreign), ("{", "board.excalidraw has a mistake at byte 1: the text ends too early."),
        ('{"a": ' + "[" * 1_000 + "]" * 1_000 + "}", "board.excalidraw has a mistake at byte"), ('{"shapes": []}', "board.excalidraw has no shapes."),
        ('{"type": "excalidraw", "elements": []}', foreign), ("[]", foreign), ("", foreign),
        ('{"shapes": 4}', foreign), ('{"shapes": [4]}', "We can’t read shape 1."),
        (f'{{"squares": [{square}, {square}, {square.replace("#", "")}]}}', "Square 3 has a colour that we can’t read."),
        ('{"squares": [{"x": 1e99, "y": 0, "size": 5}]}', "Square 1 has a value for “Position” that we can’t read."),
        ('{"shapes": [{"kind": "star", "textSize": "x"}]}', "Shape 1 has a value for “Text size” that we can’t read."),
        ('{"shapes": [{"kind": "star", "z": 1}]}', "Shape 1 has a value that we can’t read."),
    ]:
        ann.page.evaluate(DROP, [text, "board.excalidraw"])
        ann.page.locator(".notice.is-refused", has_text=words).wait_for()
        ann.page.locator(".notice.is-refused button[aria-label=Dismiss]").first.dispatch_event("click")
    for file, words in [
        ({"name": "cat.png", "type": "image/png"}, "Pictures can’t go on the canvas"),
        ({"name": "song.mp3", "type": "audio/mpeg"}, "Files can’t be pasted"),
        (None, "Nothing here to paste"),
    ]:
        ann.page.evaluate(PASTE, ["", file])
        ann.page.locator(".notice.is-refused", has_text=words).wait_for()
    drop = """(target, kind) => {
      const data = new DataTransfer()
      if (kind === 'text') data.setData('text/plain', '[]')
      else {
        const folder = new File([], 'Pictures')
        folder.text = () => Promise.reject(new DOMException('not found', 'NotFoundError'))
        Object.defineProperty(data, 'files', { value: [folder] })
        Object.defineProperty(data, 'types', { value: ['Files'] })
      }
      const event = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      target.dispatchEvent(event)
      return event.defaultPrevented
    }"""
    taken = f"(() => {{ const field = document.createElement('input'); document.body.append(field); return ({drop})(field, 'text') }})()"
    assert not ann.page.evaluate(taken)
    assert ann.page.evaluate(f"({drop})(document.body, 'folder')")
    ann.page.locator(".notice.is-refused", has_text="We can’t read Pictures. Drop files, not folders.").wait_for()
    assert ann.run("app.session.shapeCount") == 0
    # What only looks like a drawing can be pasted as text, whether it can be read as JSON or not.
    for count, code in enumerate(("{ \"shapes\": code }", '{"shapes": [{"kind": "star", "position": [0, 0], "size": [5, 5], "textSize": "x"}]}'), 1):
        ann.page.evaluate(PASTE, [code, None])
        ann.page.get_by_role("button", name="Paste as text").last.click()
        room.wait_for(lambda shapes: [shape["text"] for shape in shapes].count(code) == 1 and len(shapes) == count)


def test_the_menu_pastes_what_is_on_the_clipboard_or_says_why_not(room):
    """On a phone, the menu is the only way to paste. Shapes that were copied before are not pasted if the clipboard
    has a picture. They are pasted if the browser doesn't let the page read the clipboard."""
    square = room.add(position=[100, 300], size=[100, 80])
    ann = room.join("Ann", phone=True, at=(0, 0))

    choose = functools.partial(ann.choose, exact=True)
    # In this browser without a window, even writing to the clipboard needs a permission. In a browser with a window, a
    # click is enough for writing, and only reading needs a permission.
    ann.context.grant_permissions(["clipboard-write"])
    ann.page.get_by_role("button", name="Menu", exact=True).tap()
    ann.page.get_by_role("menuitem", name="Select all").wait_for()
    assert ann.page.get_by_role("menuitem", name="selection").count() == 0, "nothing is selected"
    ann.press("Escape")
    ann.select(square)
    for suffix in ("SVG", "JSON"):
        ann.export(suffix, lambda: choose(f"Export selection as {suffix}"))
    choose("Copy as SVG")
    ann.notice("Copied as SVG").wait_for()
    choose("Copy")
    choose("Paste")
    ann.wait_for_shapes(2)
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.evaluate("""new Promise((done) => document.createElement('canvas').toBlob(done)).then((blob) =>
      navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]))""")
    choose("Paste")
    ann.page.locator(".notice.is-refused", has_text="Pictures can’t go on the canvas").wait_for()
    ann.page.evaluate("(text) => navigator.clipboard.writeText(text)", LAYOUT)
    choose("Paste")
    ann.wait_for_shapes(4)
    # All pasted notes come into view, wherever that is.
    ann.look_at(5000, 5000)
    ann.page.evaluate("(text) => navigator.clipboard.writeText(text)", "one\ntwo\nthree\nfour\nfive")
    choose("Paste")
    ann.wait_for_shapes(9)
    ann.painted()
    notes = room.wait_for_shapes(9)[4:]
    left, top = ann.screen(*notes[0]["position"])
    right, bottom = ann.screen(*[at + 200 for at in notes[2]["position"]])
    assert 0 <= left < right <= 390 and 0 <= top < bottom <= 844


def test_a_png_is_as_large_as_the_drawing_and_one_chooses_how_fine(room):
    """It takes no more memory than a page has: two small shapes far apart would take a gigabyte. A picture is at most as
    large as a canvas can be."""
    room.add(position=[0, 0], size=[1600, 900], fill="#FF0000")
    ann = room.join("Ann", at=(0, 0))
    sizes = {scale: png_size(ann.export("PNG", size=scale)[1]) for scale in ("1×", "2×", "4×")}
    width, height = sizes["1×"]
    assert 1600 <= width < 1700 and 900 <= height < 1000
    assert sizes["2×"] == (2 * width, 2 * height) and sizes["4×"] == (4 * width, 4 * height)
    # A picture of this drawing can't be four times as large.
    room.add(position=[0, 0], size=[3000, 3000])
    ann.wait_for_shapes(2)
    ann.choose("Export as PNG")
    ann.page.get_by_role("dialog").wait_for()
    assert ann.page.locator(".picture-size strong").all_inner_texts() == ["1×", "2×", "2.7×"]
    ann.press("Escape")
    ann.wait_for_no_dialog()

    ann.page.evaluate("""() => {
        window.largest = 0
        const { toBlob } = HTMLCanvasElement.prototype
        HTMLCanvasElement.prototype.toBlob = function (...values) {
            window.largest = Math.max(window.largest, this.width * this.height)
            return toBlob.apply(this, values)
        }
    }""")
    one, other = (shape["id"] for shape in room.shapes())
    for place, moved in (([20_000, 20_000], "y === 20_000"), ([60_000, 0], "x === 60_000")):
        room.write((one, {"position": [0, 0], "size": [40, 40]}), (other, {"position": place, "size": [40, 40]}))
        ann.wait_for_shape(other, f"shape.width === 40 && shape.{moved}")
        width, height = png_size(ann.export("PNG", size="×")[1])
        if place[1]:
            assert 30e6 < ann.page.evaluate("largest") < 70e6
    assert 8000 < width <= 16384 and height >= 1
