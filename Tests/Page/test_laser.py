"""The laser pointer: everybody sees where it points, its trail fades, and nothing is stored."""

from pixels import rgb
from waiting import wait_until


def shines(person, *points):
    """Whether the overlay shows something at each of these points."""
    picture, ratio = person.picture("#overlay"), person.run("app.view.ratio")
    return all(picture[int(y * ratio)][int(x * ratio)][3] > 0 for x, y in points)


def watcher(room):
    """Somebody whose time stands still unless the test looks, so that no trail fades unseen."""
    ben = room.join("Ben", at=(0, 0), stopped=True)
    return ben


def sees(ben, *points):
    wait_until(lambda: ben.pass_time(20) or shines(ben, *points), "the trail", holds=bool)


def trail_fades(ben, *points):
    wait_until(lambda: ben.pass_time(200) or shines(ben, *points), "the trail fades", holds=lambda shown: not shown)


def test_a_trail_is_seen_by_all_and_fades(room):
    """It is drawn over shapes, which neither move nor get selected. A tap makes a dot."""
    square = room.add(position=[250, 350], size=[100, 100])
    ann, ben = room.join("Ann", at=(0, 0)), watcher(room)
    ann.press("k")
    assert ann.run("app.tool") == "laser"
    ann.drag((200, 400), (500, 400), steps=12, hold=True)
    wait_until(lambda: shines(ann, (490, 400)), "the own trail", holds=bool)
    sees(ben, (300, 400), (490, 400))
    across = ben.picture("#overlay")[385:416, 480]
    colors = [tuple(color) for *color, alpha in across.tolist() if alpha == 255]
    assert colors[0] == colors[-1] == (255, 255, 255) and rgb("#1D4ED8") in colors, "Ann's colour between white edges"
    ann.page.mouse.up()
    trail_fades(ben, (490, 400))
    ann.click(600, 300, times=2)
    # The cursor would lie over the dot.
    ann.page.mouse.move(900, 100)
    sees(ben, (600, 300))
    trail_fades(ben, (600, 300))
    ann.wait("app.presence.ownLaser === null", "its end is no longer told")
    shape, = room.agree(ann)
    assert shape["id"] == square and shape["position"] == [250, 350] and ann.selected() == []
    assert not ann.run("app.session.canUndo")
