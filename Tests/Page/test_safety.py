"""Text from a room is never run as a script, and never treated as markup."""

import json
import urllib.request

import pytest

from waiting import wait_until

HOSTILE = [
    "<img src=x onerror=window.ran=1>", "<script>window.ran=1</script>", "\"><svg onload=window.ran=1>", "javascript:window.ran=1",
    "</title><script>window.ran=1</script>", "{{window.ran=1}}", "<b>txt</b>", "&lt;b&gt;", "'-window.ran=1-'",
]


def test_names_of_shapes_and_people_are_only_text(room):
    """Names in layers, inspector, notices, overlaps, flags, lists of people and saved pictures."""
    for at, name in enumerate(HOSTILE):
        room.add(kind="star", name=name, position=[at * 40, 100], size=[100, 100])
    ann = room.join("Ann", panel="layers")
    bob = room.join(HOSTILE[0])
    bob.run("app.selection.set(app.session.drawingOrder()); app.presence.setCursor({ x: 200, y: 200 }); return null")
    ann.page.get_by_role("button", name=f"Follow {HOSTILE[0]}").click()
    for at, name in enumerate(HOSTILE):
        assert ann.page.locator(".layer-name", has_text=name[:12]).count() >= 1
    for tab in ["inspector", "overlaps", "layers"]:
        ann.page.click(f"#tab-{tab}")
        ann.run("app.selection.set(app.session.drawingOrder().slice(0, 1)); return null")
        ann.painted()
    bob.run("app.edit((session) => session.edit([{ shape: 4242, set: { kind: 'ellipse', name: value, position: [0, 100] } }])); return null",
            HOSTILE[1])
    ann.page.locator(".notice.is-overlap").first.wait_for()
    bob.leave()
    for suffix in ["PNG", "SVG", "JSON"]:
        ann.export(suffix)
    assert ann.run("return window.ran ?? null") is None
    inside = ann.page.evaluate(
        "[...document.querySelectorAll('body *')].filter((each) => ['IMG', 'SCRIPT', 'IFRAME', 'B'].includes(each.tagName)).length")
    assert inside == 0
    ann.page.goto(room.server.url("/"))
    ann.page.get_by_role("link", name=room.name).wait_for()
    assert ann.page.evaluate("window.ran ?? null") is None


def test_the_policy_of_the_page_is_strict_and_holds(room):
    """The security policy allows no inline script, no eval and no other host. The page never violates it. The server or
    the page answers an invalid room name with its own message, in which the name has no effect."""
    with urllib.request.urlopen(room.server.url(room.path)) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy and "'unsafe-eval'" not in policy and "*" not in policy
    ann = room.join("Ann", panel="layers", forgive=["status of 40"])
    ann.page.get_by_role("button", name="Start with three squares").click()
    for tab in ["inspector", "overlaps", "layers"]:
        ann.page.click(f"#tab-{tab}")
    ann.press("Escape", "?")
    ann.page.get_by_role("heading", name="Shortcuts").wait_for()
    hosts = ann.page.evaluate("[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).host))]")
    assert hosts == [f"127.0.0.1:{room.server.port}"]
    for path in ["/r/%3Cscript%3Ewindow.ran=1%3C/script%3E", "/r/a%2Fb", "/r/%22onload=", "/r/" + "x" * 65, "/r/%E0%A4%A"]:
        ann.page.goto(room.server.url(path))
        assert ann.page.evaluate("window.ran ?? null") is None, path
    # A violation of the policy logs an error on the console, and every test fails if there is one.


def test_a_token_goes_neither_into_the_history_nor_into_links(room):
    """The page removes the token from the address, and sends it with every request."""
    asked = []

    def listen(page):
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.on("request", lambda request: "/v1/" in request.url and asked.append(request.headers.get("authorization", "")))

    room.add()
    ann = room.join("Ann", fragment="#token=secret-4711", before=listen)
    assert ann.page.evaluate("location.href") == room.server.url(room.path)
    assert any(url.endswith("/sync?token=secret-4711") for url in asked)
    ann.choose("History")
    ann.page.get_by_label("Moment").wait_for()
    assert "Bearer secret-4711" in asked
    ann.page.get_by_role("button", name="Back to the present").click()
    assert "secret" not in json.dumps(ann.page.evaluate("Object.entries(localStorage)"))


BLOCKED = """for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
  Object.defineProperty(window, name, { get() { throw new DOMException('The request was denied.', 'SecurityError') } })
}
Object.defineProperty(Navigator.prototype, 'locks', { value: { request: () => Promise.reject(new DOMException('denied', 'SecurityError')) } })"""


@pytest.mark.parametrize("storage", [BLOCKED, "IDBFactory.prototype.open = () => ({})"], ids=["blocked", "never answers"])
def test_a_browser_that_keeps_nothing_still_draws(room, storage):
    """The room still opens, and edits arrive. Rooms are listed."""
    ann = room.join("Ann", before=lambda page: page.add_init_script(storage), forgive=["denied"], clock=True, ready=False)

    def patiently(condition, what):
        """The page waits for some seconds for a storage that never answers."""
        wait_until(lambda: ann.pass_time(500) or ann.page.evaluate(f"() => {condition}"), what)

    patiently("window.canvasApp?.session.status().state === 'live'", "the room is there")
    ann.run("app.edit((session) => session.addSquare({ x: 100, y: 100, width: 600, height: 400 })); return null")
    room.wait_for_shapes(1)
    ann.wait("document.querySelector('.status-words').textContent === 'Saved'", "that it is saved")
    ann.page.goto(room.server.url("/"))
    patiently(f"!![...document.querySelectorAll('a')].find((each) => each.href.endsWith('{room.path}'))", "the room is listed")


def test_a_page_whose_core_has_failed_says_so(room):
    """It leaves the room, says that nothing is saved, and offers a reload, which restores what was stored."""
    ann = room.join("Ann")
    ann.forgive("unreachable", "RuntimeError", "this page has stopped")
    ann.run("app.edit((session) => session.addSquare({ x: 100, y: 100, width: 600, height: 400 })); return null")
    room.wait_for_shapes(1)
    ann.run("try { app.core.exports.undo(4_000_000_000, 0, 0) } catch {} return null")
    ann.wait("document.querySelector('.status-words').textContent === 'Stopped'", "the status")
    room.add(position=[0, 0], size=[100, 100])
    banner = ann.page.locator(".banner", has_text="This page has stopped")
    banner.get_by_role("button", name="Reload").click()
    ann.wait("app.session.shapeCount === 2", "all that was drawn")


def test_a_canvas_that_the_browser_has_lost_is_painted_again(room):
    """Simulates that the browser's rendering process has ended: the canvas is emptied, and the page gets an event."""
    room.add(position=[100, 100], size=[200, 200], fill="#FF0000")
    ann = room.join("Ann", at=(0, 0))
    before = ann.painted_picture()
    assert (before[200, 200, :3] == (255, 0, 0)).all()
    ann.run("""for (const canvas of document.querySelectorAll('#stage canvas')) {
      const context = canvas.getContext('2d')
      context.reset?.()
      canvas.dispatchEvent(new Event('contextrestored'))
    } return null""")
    assert (ann.painted_picture() == before).all()
