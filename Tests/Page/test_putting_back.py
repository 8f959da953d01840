"""Who learns that a text was put back over theirs, what that costs their page, and for how long it remembers."""

import server as servers
from person import number

HOUR = 3_600_000


def test_pointers_cost_nothing_more_once_a_text_was_put_back(room):
    """Their moves are presence too. It tells that a text was put back as long as that text is there."""
    ann, bob = two_where_bob_is_told_by_presence_only(room)
    first, *others = shapes = add(room, 20)
    write(bob, shapes, "by Bob")
    write(ann, shapes, "by Ann")
    write(bob, [first], "again by Bob")
    put_back = ann.notice("Bob wrote over your text").get_by_role("button", name="Put mine back")
    # Nothing is put back into a shape while it is locked.
    for locked in (True, False):
        room.write((first, {"locked": locked}))
        ann.wait_for_shape(first, f"shape.locked === {str(locked).lower()}")
        put_back.click()
        if locked:
            ann.notice("is locked").wait_for()
            assert ann.shape(first)["text"] == "again by Bob"
    bob.notice("Ann wrote over your text").wait_for()
    wait_for_text(bob, shapes, "by Ann")
    bob.see(2)
    bob.run("const { live } = app; const { written } = live; window.asked = 0; "
            "live.written = (...values) => { asked++; return written.apply(live, values) }; return null")
    for x in (410, 420, 430):
        ann.page.mouse.move(x, 300)
        bob.wait("app.presence.people()[0].cursor?.x === value", "Bob sees Ann's pointer", x)
    assert bob.run("[asked, app.presence.people()[0].putBack.length]") == [0, 1]
    write(bob, [first], "changed by Bob")
    bob.wait("app.presence.people()[0].putBack.length === 0", "Ann no longer tells what is gone")


def test_only_so_many_replaced_texts_are_remembered_and_for_so_long(room):
    """A text that this person deletes is no longer among them."""
    ann, bob = two_where_bob_is_told_by_presence_only(room)
    (first, second, third), many, deleted = add(room, 3), add(room, 500), add(room, 500)
    bob.run("window.told = []; app.notices.say = (_, { group }) => told.push(group); return null")

    def replace(shapes):
        write(bob, shapes, "by Bob")
        write(ann, shapes, "by Ann")
        wait_for_text(bob, shapes, "by Ann")

    def told_of(*put_back):
        """The shapes of which Bob is told once Ann's presence says that these texts were put back."""
        ann.run("app.presence.setPutBack(value.map((id) => app.live.written(id, 'text').milliseconds)); return null", numbers(put_back))
        bob.wait("app.presence.people()[0].putBack.length === value", "Bob knows", len(put_back))
        return bob.run("told.splice(0)")

    replace([first])
    write(bob, deleted, "by Bob")
    bob.run("app.edit((replica) => replica.delete(value)); return null", numbers(deleted))
    bob.see(2)
    assert told_of(first) == [f"lost text {number(first)} by Bob"]
    for shapes in ([second], many[1:], [third]):
        replace(shapes)
    assert told_of(second, third) == [f"lost text {number(third)} by Bob"]
    bob.run("const { now } = Date; Date.now = () => now() + value; return null", HOUR)
    replace([second])
    assert told_of(many[1], second, first) == [f"lost text {number(second)} by Bob"]


def two_where_bob_is_told_by_presence_only(room):
    """Bob's core tells no loss but one, as if each text had been there for a while. After that one, his page has loaded
    the code that tells losses."""
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    shapes = add(room, 1)
    write(bob, shapes, "by Bob")
    write(ann, shapes, "by Ann")
    bob.notice("Ann wrote over your text").get_by_role("button", name="Dismiss").click()
    bob.run("const { live } = app; const { received } = live; "
            "live.received = (data) => received.call(live, data).filter(({ type }) => type !== 'textLost'); return null")
    return ann, bob


def add(room, count):
    shapes = [servers.identifier() for _ in range(count)]
    room.write(*((shape, {"kind": "rectangle"}) for shape in shapes))
    for person in room.people:
        person.wait("value.every((id) => app.live.shape(id))", "the shapes are there", numbers(shapes))
    return shapes


def write(person, shapes, text):
    person.run("app.edit((replica) => replica.edit(value.shapes.map((shape) => ({ shape, set: { text: value.text } })))); return null",
               {"shapes": numbers(shapes), "text": text})
    for each in person.room.people:
        wait_for_text(each, shapes, text)


def wait_for_text(person, shapes, text):
    """Waits until the page has seen these texts: it follows changes once a frame."""
    person.wait("value.shapes.every((id) => app.live.shape(id).text === value.text)", f"“{text}”", {"shapes": numbers(shapes), "text": text})
    person.see(2)


def numbers(shapes):
    return [number(shape) for shape in shapes]
