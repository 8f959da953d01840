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
