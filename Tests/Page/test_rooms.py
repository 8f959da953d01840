"""The list of rooms: searching in it, and its pictures."""

import json
from urllib.parse import urlsplit

from hand import HALF, WHOLE
from modules import module
from waiting import wait_until


INK = """async (name) => {
  const picture = document.querySelector(`a[href="/r/${name}"] img`)
  await picture.decode()
  const canvas = new OffscreenCanvas(170, 100)
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0, 170, 100)
  const { data } = context.getImageData(0, 0, 170, 100)
  let red = 0, blue = 0
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] > 100 && data[at] > data[at + 2] + 80) red += 1
    if (data[at + 3] > 100 && data[at + 2] > data[at] + 80) blue += 1
  }
  return { red, blue }
}"""


def test_rooms_of_late_come_first_and_the_field_finds_one(room):
    """Rooms that this browser has visited come first. Typing filters the rooms by name, or says that none match."""
    for name in ("aaa-first", "zzz-last"):
        room.world.room(name=f"{room.name}-{name}").add()
    last = room.world.rooms[-1]
    ann = last.join("Ann")
    ann.wait_until_drawing_is_kept(0)
    page = ann.page
    page.goto(room.server.url("/"))
    page.get_by_role("link", name=last.name).wait_for()
    page.wait_for_function("() => document.querySelectorAll('.room-card').length >= 2")
    assert page.evaluate("[...document.querySelectorAll('h2:not([hidden]), .room-card strong')].slice(0, 3).map((each) => each.innerText)") \
        == ["Recent", last.name, "Other rooms"]
    assert page.locator(".rooms-invitation").evaluate("(each) => each.naturalWidth") > 0
    for width in (390, 901, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        covered = page.evaluate("""() => {
          const boxOf = (each) => each.getBoundingClientRect()
          const { left, top, right, bottom } = boxOf(document.querySelector('.rooms-invitation'))
          const meets = (box) => box.left < right && box.right > left && box.top < bottom && box.bottom > top
          return [...document.querySelectorAll('.rooms-header > :not(img)')].filter((each) => meets(boxOf(each))).map(({ className }) => className)
        }""")
        assert covered == [], f"the picture lies over nothing at {width}"
    field = page.get_by_label("Room name")
    field.fill(f"{room.name}-AAA")
    assert page.locator(".room-card:visible").all_inner_texts()[0].startswith(f"{room.name}-aaa-first")
    assert page.locator(".room-card:visible").count() == 1 and page.locator("h2:visible").all_inner_texts() == ["Other rooms"]
    field.fill("such a room")
    page.get_by_text("No room is called such a room yet.").wait_for()
    assert page.locator(".room-card:visible").count() == 0
    page.keyboard.press("Enter")
    page.wait_for_url("**/r/such_a_room..0")
    page.goto(room.server.url("/"))
    page.get_by_role("link", name=last.name).wait_for()
    field.fill("sprint-12")
    page.get_by_role("button", name="Create “sprint-12”", exact=True).click()
    page.wait_for_url("**/r/sprint-12")


def test_a_name_is_shown_as_it_was_typed(room):
    """At home, in the room and in the title. A room is also found if it is typed a little differently."""
    typed = f"{room.name} Überblick / Woche 3"
    ann = room.join("Ann")
    page = ann.page
    page.goto(room.server.url("/"))
    page.get_by_label("Room name").fill(typed)
    page.get_by_role("button", name="New room").click()
    page.get_by_role("heading", name=typed, exact=True).wait_for()
    page.wait_for_function("(title) => document.title === title", arg=f"{typed} · CanvasSync")
    ann.wait("app.session.status().state === 'live'")
    page.keyboard.press("q")
    room.world.room(name=urlsplit(page.url).path.removeprefix("/r/")).wait_for_shapes(1)
    address = page.url
    page.goto(room.server.url("/"))
    page.locator(".room-card strong", has_text=typed).wait_for()
    for again in (typed, typed.upper().replace(" ", "-")):
        page.get_by_label("Room name").fill(again)
        assert page.locator(".room-card:visible strong").all_inner_texts() == [typed]
        page.keyboard.press("Enter")
        page.wait_for_url(address)
        page.goto(room.server.url("/"))
        page.locator(".room-card strong", has_text=typed).wait_for()
    field = page.get_by_label("Room name")
    for name, words in (("Ü" * 64, "Please choose a shorter name."), ("a\u202eb", "without invisible characters")):
        field.fill(name)
        page.get_by_role("button", name="Join").click()
        page.locator(".help", has_text=words).wait_for()


def test_a_wide_room_has_a_picture_in_the_list(room):
    """The picture shows every shape, however far apart they are, with and without an outline. If it did not come, because
    the server is busy at first, it is asked for again, though nothing in the room changes meanwhile."""
    room.add(position=[0, 0], size=[100, 100], fill="#FF0000")
    room.add(position=[90_000, 300], size=[100, 100], fill="#FF0000", stroke="#0000FF", strokeWidth=2)
    ann = room.join("Ann", forgive=["503"])
    asked = []

    def refuse_first(route):
        asked.append(route)
        route.fulfill(status=503) if len(asked) == 1 else route.continue_()

    ann.page.route(f"**/{room.name}/picture.svg", refuse_first)
    ann.page.goto(room.server.url("/"))
    ann.page.wait_for_function("(name) => document.querySelector(`a[href=\"/r/${name}\"] img`)?.hidden === false", arg=room.name)
    ink = ann.page.evaluate(INK, room.name)
    assert ink["red"] >= 8 and ink["blue"] >= 8 and len(asked) == 2, ink


def test_pictures_are_loaded_for_the_cards_in_view(world):
    """To draw a picture, the server has to open the room. A list has thousands of rooms."""
    with world.start_server() as server:
        rooms = [world.room(server, f"many-{at:02}") for at in range(60)]
        for each in rooms:
            each.add()
        ann = rooms[0].join("Ann")
        asked = []
        ann.page.on("request", lambda request: asked.append(request.url) if "picture.svg" in request.url else None)
        ann.page.goto(server.url("/"))
        is_shown = "(name) => document.querySelector(`a[href=\"/r/${name}\"] img`)?.hidden === false"
        ann.page.wait_for_function(is_shown, arg="many-00")
        assert ann.page.locator(".room-card").count() == 60
        assert not any("many-59" in url for url in asked), asked
        ann.page.locator(".room-card").last.scroll_into_view_if_needed()
        ann.page.wait_for_function(is_shown, arg="many-59")


def test_of_thousands_of_rooms_only_some_have_a_card(room):
    """A browser would need seconds for each letter. All rooms are found by their names."""
    ann = room.join("Ann")
    rooms = [{"room": f"many-{at:04}", "shapes": at, "peers": 0, "cursor": "", "fault": "damaged"} for at in range(3_000)]
    # Of ten rooms that this browser has visited, eight are recent, and the others are among all others.
    ann.page.evaluate("async (rooms) => { const { keep } = " + module("storage/database.ts") + """
      for (const [at, { room }] of rooms.entries()) {
        await keep('drawings', { room, at: at + 1, bytes: new Uint8Array() })
      } }""", rooms[:10])
    ann.page.route("**/v1/rooms", lambda route: route.fulfill(json={"rooms": rooms}))
    ann.page.goto(room.server.url("/"))
    ann.page.get_by_text("2,792 more rooms. Type a part of a name to find one.").wait_for()
    assert ann.page.locator(".room-card:visible").count() == 208
    recent = ann.page.locator(".cards").first.locator("strong")
    assert recent.all_inner_texts() == [f"many-{at:04}" for at in range(9, 1, -1)], "the latest visit comes first"
    for name in ("many-2999", "many-0009", "many-0000"):
        ann.page.get_by_label("Room name").fill(name.upper().replace("-", " "))
        assert ann.page.locator(".room-card:visible strong").all_inner_texts() == [name]
    ann.page.get_by_label("Room name").fill("MANY 2999")
    ann.page.get_by_text("more rooms").wait_for(state="hidden")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_url("**/r/many-2999")


def test_a_picture_that_would_cost_too_much_is_left_out(room):
    """One of two megabytes is shown, and a longer one isn't, until the room changes."""
    room.add(position=[0, 0], size=[100, 100])
    ann = room.join("Ann")
    lengths = [2_000_001, 2_000_000]

    def answer(route):
        picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>'
        route.fulfill(content_type="image/svg+xml", body=picture.ljust(lengths.pop(0)))

    ann.page.route(f"**/{room.name}/picture.svg", answer)
    ann.page.goto(room.server.url("/"))
    wait_until(lambda: ann.page.evaluate("1") and len(lengths) == 1, "the picture is asked for")
    with ann.page.expect_response("**/v1/rooms"):
        pass
    picture = ann.page.locator(f'a[href="/r/{room.name}"] img')
    assert picture.get_attribute("src") is None
    room.add(position=[200, 0], size=[100, 100])
    picture.and_(ann.page.locator(":not([hidden])")).wait_for()
    assert not lengths


def menu_of(page, name, entry):
    page.locator("a.room-card", has=page.get_by_text(name, exact=True)).hover()
    page.get_by_role("button", name=f"More for {name}", exact=True).click()
    page.get_by_role("menuitem", name=entry).click()


def test_a_room_is_duplicated_and_deleted_from_the_list(room):
    """A copy has all of the drawing, and its own name. Deleting asks first, and Enter keeps the room."""
    first = room.add(position=[0, 0], size=[100, 80], text="Seeds", fill="#CFE0F7", group="00g-000-001", locked=True)
    second = room.add(kind="ellipse", position=[300, 0], size=[100, 80], rotation=20)
    room.add(kind="line", position=[100, 40], size=[200, 10], **{"from": [first, WHOLE, HALF], "to": [second, 0, HALF]}, toEnd="arrow")
    ann = room.join("Ann")
    page = ann.page
    page.goto(room.server.url("/"))
    for name in (f"{room.name}-copy", f"{room.name}-copy-2"):
        menu_of(page, room.name, "Duplicate")
        page.get_by_text(f"{room.name} is copied to {name}.").wait_for()
        page.get_by_role("button", name=f"More for {name}", exact=True).wait_for(state="attached")
        copy = room.world.room(name=name).shapes()
        ids = {old["id"]: new["id"] for old, new in zip(room.shapes(), copy)}
        look = [{key: ids.get(value[0]) and [ids[value[0]], *value[1:]] if key in ("from", "to") else value
                 for key, value in shape.items() if key not in ("id", "z", "group", "name")} for shape in room.shapes()]
        assert [{key: value for key, value in shape.items() if key not in ("id", "z", "group", "name")} for shape in copy] == look
    copy = f"{room.name}-copy"
    menu_of(page, copy, "Delete…")
    page.get_by_role("dialog", name=f"Delete {copy}?").get_by_text("3 shapes · nobody here.").wait_for()
    page.keyboard.press("Enter")
    page.locator("dialog").wait_for(state="detached")
    assert len(room.world.rooms[-2].shapes()) == 3
    # The question is of the room as it is now. If somebody draws before it is answered, it is asked again.
    page.get_by_role("button", name=f"More for {copy}", exact=True).click()
    room.world.rooms[-2].add()
    page.get_by_role("menuitem", name="Delete…").click()
    page.get_by_role("dialog", name=f"Delete {copy}?").get_by_text("4 shapes · nobody here.").wait_for()
    room.world.rooms[-2].add()
    page.get_by_role("button", name="Delete room").click()
    page.get_by_text("Somebody came or drew in it meanwhile.").wait_for()
    assert len(room.world.rooms[-2].shapes()) == 5
    page.get_by_role("button", name="Delete room").click()
    page.get_by_text(f"{copy} is deleted.").wait_for()
    page.get_by_role("button", name=f"More for {copy}", exact=True).wait_for(state="detached")
    assert room.world.rooms[-2].shapes() == []
    assert len(room.shapes()) == 3


def test_a_room_is_renamed_with_its_drawing_while_nobody_is_in_it(room):
    """The drawing moves to the new name. If that is taken, or somebody is in the room, it stays. What else can happen
    meanwhile: Tests/network/renaming.test.mjs."""
    room.add(position=[0, 0], size=[100, 80], text="Seeds")
    taken = room.world.room()
    taken.add()
    ann, ben = room.join("Ann"), room.join("Ben", phone=True)
    page = ann.page
    page.goto(room.server.url("/"))

    def rename(name):
        menu_of(page, room.name, "Rename…")
        field = page.get_by_role("dialog", name=f"Rename {room.name}").get_by_label("New name")
        assert field.input_value() == room.name
        field.fill(name)
        page.keyboard.press("Enter")

    def wait_for_nobody():
        wait_until(lambda: not json.loads(room.request("GET", "/peers"))["peers"], "everybody has left")

    new = f"Für alle {room.world.count}"
    menu_of(page, room.name, "Rename…")
    page.get_by_text(f"Somebody is in {room.name} now.").wait_for()
    assert page.locator("dialog").count() == 0, "nobody is asked for a name in vain"
    ben.leave()
    wait_for_nobody()
    rename(taken.name)
    page.get_by_text(f"There is a room {taken.name} already.").wait_for()
    rename("a\u202eb")
    page.get_by_role("button", name="Cancel").click()
    page.locator("dialog").wait_for(state="detached")
    assert len(room.shapes()) == 1 and len(taken.shapes()) == 1
    rename(new)
    page.get_by_text(f"{room.name} is now called {new}.").wait_for()
    page.locator("a.room-card", has=page.get_by_text(new, exact=True)).click()
    ann.wait_for_shapes(1)
    assert [shape["text"] for shape in ann.shapes().values()] == ["Seeds"]
    assert room.shapes() == []
    # A copy of a room with such a name has such a name too.
    page.goto(room.server.url("/"))
    menu_of(page, new, "Duplicate")
    page.get_by_text(f"{new} is copied to {new} copy.").wait_for()


def test_a_card_stays_where_it_is_while_its_menu_is_open(room):
    """Somebody enters the room, which then comes first in the list. The card keeps the focus when it moves."""
    first, second = (room.world.room(name=f"{room.name}-{name}") for name in ("first", "second"))
    for each in (first, second):
        each.add()
    page = room.join("Ann").page
    page.goto(room.server.url("/"))
    places = """([first, second]) => {
      const names = [...document.querySelectorAll('.room-card strong')].map((each) => each.innerText)
      return names.indexOf(second) - names.indexOf(first)
    }"""
    more = page.get_by_role("button", name=f"More for {second.name}", exact=True)
    page.get_by_role("link", name=second.name).hover()
    more.click()
    second.guest("Bob")
    wait_until(lambda: len(json.loads(second.request("GET", "/peers"))["peers"]), "Bob is there")
    # The first answer may be from before Bob came, and the third one comes after the second one has been shown.
    for _ in range(3):
        with page.expect_response("**/v1/rooms"):
            pass
    assert page.get_by_role("menu", name=second.name).is_visible()
    assert page.evaluate(places, [first.name, second.name]) > 0
    page.keyboard.press("Escape")
    page.wait_for_function(f"(names) => ({places})(names) < 0", arg=[first.name, second.name])
    assert more.evaluate("(each) => document.activeElement === each")
