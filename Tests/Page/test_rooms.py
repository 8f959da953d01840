"""The list of rooms: searching in it, and its pictures."""


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
    field = page.get_by_label("Room name")
    field.fill(f"{room.name}-AAA")
    assert page.locator(".room-card:visible").all_inner_texts()[0].startswith(f"{room.name}-aaa-first")
    assert page.locator(".room-card:visible").count() == 1 and page.locator("h2:visible").all_inner_texts() == ["Other rooms"]
    field.fill("such a room")
    page.get_by_text("No room is called such-a-room yet.").wait_for()
    assert page.locator(".room-card:visible").count() == 0
    page.keyboard.press("Enter")
    page.wait_for_url("**/r/such-a-room")


def test_a_wide_room_has_a_picture_in_the_list(room):
    """The picture shows every shape, however far apart they are, with and without an outline."""
    room.add(position=[0, 0], size=[100, 100], fill="#FF0000")
    room.add(position=[90_000, 300], size=[100, 100], fill="#FF0000", stroke="#0000FF", strokeWidth=2)
    ann = room.join("Ann")
    ann.page.goto(room.server.url("/"))
    ann.page.wait_for_function("(name) => document.querySelector(`a[href=\"/r/${name}\"] img`)?.hidden === false", arg=room.name)
    ink = ann.page.evaluate(INK, room.name)
    assert ink["red"] >= 8 and ink["blue"] >= 8, ink


def menu_of(page, name, entry):
    page.get_by_role("link", name=name, exact=False).first.hover()
    page.get_by_role("button", name=f"More for {name}", exact=True).click()
    page.get_by_role("menuitem", name=entry).click()


def test_a_room_is_duplicated_and_deleted_from_the_list(room):
    """A copy has everything that is in the drawing, and a name of its own. Deleting asks first, and Enter keeps the
    room."""
    first = room.add(position=[0, 0], size=[100, 80], text="Seeds", fill="#CFE0F7", group="00g-000-001", locked=True)
    second = room.add(kind="ellipse", position=[300, 0], size=[100, 80], rotation=20)
    room.add(kind="line", position=[100, 40], size=[200, 10], **{"from": [first, 65535, 32768], "to": [second, 0, 32768]}, toEnd="arrow")
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
    menu_of(page, copy, "Delete…")
    page.get_by_role("button", name="Delete room").click()
    page.get_by_text(f"{copy} is deleted.").wait_for()
    page.get_by_role("button", name=f"More for {copy}", exact=True).wait_for(state="detached")
    assert room.world.rooms[-2].shapes() == []
    assert len(room.shapes()) == 3
