"""A note's text stays readable whatever changes: the note's size, the size of text, or its colour."""

from boards import NOTE

FIELD = ".writing-field"
FULL = "word " * 40
# The size to which these words shrink from 20 in a note, and the smallest size to which any text shrinks from 20.
FITTED, LEAST = 13.715, 12.4806


def rewrite(person, note, words):
    """Replaces a note's text."""
    person.wait_for_shape(note)
    person.select(note)
    person.press("F2")
    person.page.wait_for_selector(FIELD, state="visible")
    person.press("Control+a")
    person.page.keyboard.insert_text(words)
    person.press("Escape")
    person.page.wait_for_selector(FIELD, state="hidden")


def full_note(room, **values):
    return room.add(position=[300, 200], size=[200, 200], fill=NOTE, **values)


def test_after_a_click_on_the_bar_the_keys_belong_to_the_selection(room):
    """Enter opens the text instead of pressing the button again, and the space after it is written. So it is if a field
    of the inspector had the focus."""
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    note = full_note(room, text="one")
    ann.wait_for_shape(note)
    ann.take("select")
    for is_in_field, button, size, text in ((False, "Large", 32, "one two"), (True, "Small", 14, "one two two")):
        ann.press("Escape")
        ann.select(note)
        if is_in_field:
            ann.page.get_by_label("Name", exact=True).click()
        ann.page.get_by_role("button", name=f"Text size: {button}", exact=True).click()
        room.wait_for(lambda shapes: shapes[0].get("textSize") == size)
        ann.press("Enter")
        ann.page.wait_for_selector(FIELD, state="visible")
        ann.press("Control+End")
        ann.type(" two")
        ann.press("Escape")
        room.wait_for(lambda shapes: shapes[0]["text"] == text)


def test_the_inspector_fits_a_note_as_the_handles_and_the_bar_do(room):
    """A size that is typed fits the text anew, and larger letters make the note higher. Each is one step of undo."""
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    note = full_note(room)
    rewrite(ann, note, FULL)
    room.wait_for(lambda shapes: shapes[0].get("textSize") == FITTED)
    ann.select(note)
    ann.fill("W", "400")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == 20 and shapes[0]["size"] == [400, 200])
    ann.fill("H", "60")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == LEAST and shapes[0]["size"][1] > 60)
    ann.leave_focus()
    ann.press("Control+z", "Control+z")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == FITTED and shapes[0]["size"] == [200, 200])
    # The slider comes by larger letters, which leave no trace.
    slider = ann.page.locator(".inspector-form").get_by_label("Text size")
    slider.focus()
    slider.evaluate("(slider) => { slider.value = 96; slider.dispatchEvent(new Event('input')) }")
    slider.fill("40")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == 40 and shapes[0]["size"][1] == 2016)
    ann.leave_focus()
    ann.press("Control+z")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == FITTED and shapes[0]["size"] == [200, 200])
    # Several at once.
    other = room.add(position=[700, 200], size=[200, 200], fill=NOTE, text=FULL, textSize=FITTED)
    ann.wait_for_shape(other)
    ann.select(note, other)
    ann.fill("W", "1200")
    room.wait_for(lambda shapes: shapes[1].get("textSize") == 20)


def test_a_note_of_another_colour_stays_a_note(room):
    """The bar offers light shades for it, by which its text goes on fitting. So do the key for a new colour and the style
    of the next shape."""
    ann = room.join("Ann", at=(0, 0))
    note = full_note(room)
    ann.wait_for_shape(note)
    ann.select(note)
    ann.page.get_by_role("button", name="Colours of the selection").click()
    green = ann.page.locator(".selection-bar").get_by_role("button", name="Fill: Green")
    green.click()
    assert room.wait_for(lambda shapes: shapes[0]["fill"] != NOTE)[0]["fill"] == "#B2EBBE"
    ann.page.locator('.selection-bar [aria-label="Fill: Green"][aria-pressed=true]').wait_for()
    assert green.evaluate("(button) => button.style.getPropertyValue('--swatch')") == "#B2EBBE", "the swatch shows it"
    ann.press("Escape", "Alt+c")
    room.wait_for(lambda shapes: shapes[0]["fill"] not in (NOTE, "#B2EBBE"))
    rewrite(ann, note, FULL)
    room.wait_for(lambda shapes: shapes[0].get("textSize") == FITTED)
    ann.run("app.paint.choose({ fill: '#D63D33' }); return null")
    ann.press("Escape", "n")
    ann.click(800, 500)
    ann.type("red", "Escape")
    assert room.wait_for_shapes(2)[1]["fill"] == "#FFC2B8"
    # A star has the bright one.
    star = room.add(kind="star", position=[900, 100], size=[100, 100])
    ann.wait_for_shape(star)
    ann.select(star)
    ann.page.get_by_role("button", name="Colours of the selection").click()
    green.click()
    room.wait_for(lambda shapes: any(shape["id"] == star and shape["fill"] == "#2E8558" for shape in shapes))
