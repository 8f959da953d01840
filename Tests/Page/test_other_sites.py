"""What pages of other sites can do in a real browser to a server that only this machine can reach."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SITE = "evil.test"
# The attempts of a hostile page, with their results. A `no-cors` request gives the page no result, so the test checks
# the room.
ATTACK = """async ([http, ws, room]) => {
  const socket = await new Promise((done) => {
    const socket = new WebSocket(`${ws}/v1/rooms/${room}/sync`, 'canvas.v1.json')
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello' }))
    socket.onmessage = ({ data }) => { if (JSON.parse(data).type === 'welcome') done('entered') }
    socket.onclose = () => done('refused')
  })
  const tried = async (path, options) => {
    try { return (await fetch(http + path, options)).status } catch { return 'blocked' }
  }
  const body = JSON.stringify({ squares: [{ x: 1, y: 1, colour: '#FF0000', size: 9 }] })
  const json = { 'Content-Type': 'application/json' }
  const found = {
    socket,
    read: await tried(`/v1/rooms/${room}`),
    list: await tried('/v1/rooms'),
    write: await tried(`/v1/rooms/${room}/layout`, { method: 'POST', body, headers: json }),
    erase: await tried(`/v1/rooms/${room}`, { method: 'DELETE' }),
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    await tried(`/v1/rooms/${room}/layout`, { method: 'POST', body, mode: 'no-cors', headers: { 'Content-Type': type } })
  }
  return found
}"""


@contextmanager
def hostile_site():
    """Serves a site with one empty page. Yields its port on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Win a prize</title>")

        def log_message(self, *_):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield site.server_address[1]
    finally:
        site.shutdown()


def attack(page, server, room, host):
    return page.evaluate(ATTACK, [f"http://{host}:{server.port}", f"ws://{host}:{server.port}", room.name])


@contextmanager
def visitor(world):
    """A browser that visits the hostile site, whose name points to loopback, as any site's own may."""
    browser = world.launch(f"--host-resolver-rules=MAP {SITE} 127.0.0.1")
    try:
        yield browser.new_page()
    finally:
        browser.close()


def test_a_page_of_another_site_can_do_nothing(world, room):
    """C8: The page can't open a WebSocket, read, write or delete, whichever name of loopback it uses."""
    shape = room.add()
    with hostile_site() as port, visitor(world) as page:
        page.goto(f"http://{SITE}:{port}/")
        for host in ("127.0.0.1", "localhost"):
            assert attack(page, room.server, room, host) == {
                "socket": "refused", "read": "blocked", "list": "blocked", "write": "blocked", "erase": "blocked"}, host
        assert [each["id"] for each in room.shapes()] == [shape]


def test_a_site_whose_name_points_here_can_do_nothing(world, room):
    """C8: After DNS rebinding, the browser considers the hostile page and the server one origin. The same page may
    do everything under a name that the operator has allowed, so the server refuses it only because of the name."""
    shape = room.add()

    def rebound(page, server):
        # This page comes from our server, but for the browser it has the origin of the hostile site, whose name now
        # points to our server.
        page.goto(f"http://{SITE}:{server.port}/healthz")

    with visitor(world) as page:
        answer = page.goto(f"http://{SITE}:{room.server.port}/r/{room.name}")
        assert answer.status == 421 and json.loads(page.inner_text("body"))["error"]["code"] == "unknown_host"
        rebound(page, room.server)
        assert attack(page, room.server, room, SITE) == {
            "socket": "refused", "read": 421, "list": 421, "write": 421, "erase": 421}
        assert [each["id"] for each in room.shapes()] == [shape]
        with world.start_server("--hosts", SITE) as named:
            own = world.room(named)
            own.add()
            rebound(page, named)
            assert attack(page, named, own, SITE) == {
                "socket": "entered", "read": 200, "list": 200, "write": 200, "erase": 204}
