"""Pictures of every state of the page, in all sizes and themes, for somebody to look at: `scripts/screenshots --every`."""

import re
from contextlib import suppress

from boards import BOARD, SMALL_BOARD, draw
from peer import Peer
from person import number
from states import fill, states
from world import World

# CSS pixels of the window, and whether it is a phone. The last one is a window of 1,280 by 800 at 400 %.
SIZES = [(1440, 900, False), (1100, 800, False), (390, 844, True), (320, 640, True), (320, 200, False)]
THEMES = {"light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"}, "contrast": {"forced_colors": "active"}}


class EveryState:
    """Opens one state after the other, and yields its name. Then `page` shows it."""

    def __init__(self, world, width, height, phone):
        self.world, self.size, self.phone, self.peers = world, (width, height), phone, []
        # The part of the canvas that is seen has the first shapes in it.
        self.corner = (0, 0 if height > 400 else 160)

    def join(self, name, **options):
        for person in self.world.rooms[-1].people if self.world.rooms else []:
            person.leave()
        self.room, self.peers = self.world.room(name=name), []
        self.ann = self.room.join("Ann", phone=self.phone, size=self.size, still=True, at=self.corner, **options)
        self.page = self.ann.page

    def come(self, name, color):
        return self.room.guests.enter_context(Peer(self.room.server, self.room.name, name, color))

    def settle(self):
        # Whoever doesn't answer the server's pings, which takes reading, is disconnected.
        for peer in self.peers:
            with suppress(TimeoutError):
                while peer.socket.recv(timeout=0):
                    pass
        self.page.evaluate("document.fonts.ready.then(() => null)")
        if self.page.evaluate("Boolean(window.canvasApp)"):
            self.ann.painted()

    def all(self):
        for states in (self.lobby, self.empty, self.opened, self.selections, self.others, self.closed, self.viewer, self.rooms):
            yield from states()

    def lobby(self):
        self.page = self.world.new_context((self.phone, 1)).new_page()
        self.page.set_viewport_size(dict(zip(("width", "height"), self.size)))
        self.page.goto(self.world.server.url("/"))
        self.page.get_by_text("No rooms yet.").wait_for()
        yield "lobby without rooms"
        self.page.goto(self.world.server.url("/no/such/page"))
        yield "missing page"

    def empty(self):
        self.join("sketches")
        self.page.locator(".middle[data-kind=empty]").wait_for()
        yield "empty room"
        if not self.phone:
            self.ann.choose("Play", role="menuitemcheckbox")
            yield "empty room without play"

    def opened(self):
        self.join("garden")
        fill(self.room)
        self.peers = [self.come(name, "#0F766E") for name in ("Bob", "Eve", "Zoe", "Kim", "Lou")]
        self.ann.page.get_by_role("button", name="6 people are here").wait_for()
        self.ann.wait_for_shapes(4)
        self.draw_board()
        yield from states(self.ann, people=6)

    def draw_board(self):
        """Beside the shapes that are there already, where there is space."""
        forms = SMALL_BOARD if self.size[0] < 640 else [
            (name, kind, (x + 330, y), size, values) for name, kind, (x, y), size, values in BOARD]
        return draw(self.ann, forms)

    def choose(self, *shapes):
        self.ann.leave_focus()
        self.ann.run("app.setTool('select'); app.selection.set(value); return null", [number(each) for each in shapes])

    def selections(self):
        self.join("garden-2")
        ann, shapes = self.ann, self.draw_board()
        for name, chosen in (("text", ["Heading"]), ("note", ["Seeds"]), ("arrow", ["One"]), ("ink", ["Underline"]),
                             ("several", ["Seeds", "Sow", "Water"]), ("all", list(shapes))):
            self.choose(*(shapes[each] for each in chosen))
            yield f"selection of {name}"
        self.choose(shapes["One"])
        ann.press("F2")
        ann.type("by Friday")
        yield "label of an arrow"
        ann.press("Escape", "Escape", "t")
        x, y = self.size[0] / 2, self.size[1] / 2
        ann.touch.tap(x, y) if self.phone else ann.click(x, y)
        ann.type("A new text")
        yield "writing a new text"
        ann.press("Escape", "Escape")
        ann.run("app.actions.minimap.run(); return null")
        yield "minimap"
        ann.press("Control+f")
        ann.type("Sow")
        yield "search with minimap"
        ann.press("Escape")
        ann.run("app.actions.minimap.run(); app.view.panBy(-9000, 0); return null")
        ann.page.locator(".astray").wait_for()
        yield "astray"
        ann.look_at(*self.corner)
        ann.page.locator(".astray").wait_for(state="hidden")
        ann.run("app.say('Bob removed 4 shapes.', { action: { words: 'Bring back', run() {} } }); return null")
        yield "a notice"
        if not self.phone:
            ann.page.keyboard.press("Tab")
            yield "the first focus"

    def others(self):
        """Bob has a selection, Eve writes, Zoe asks to be followed, Bob is followed, and overlaps appear."""
        self.join("eclipse")
        ann, room = self.ann, self.room
        shapes = self.draw_board()
        self.peers = bob, eve, zoe = [self.come(*each) for each in (
            ("Bob", "#BE185D"), ("Eve of the long name", "#0F766E"), ("Zoe", "#6D28D9"))]
        bob.show(cursor=[200, 240], selection=[shapes["Seeds"]])
        eve.show(cursor=[180, 560], writing=shapes["Water"], typed="Water\nevery evening")
        ann.wait("app.presence.people().filter(({ cursor }) => cursor).length === 2")
        yield "others"
        x, y = room.shape(shapes["Seeds"])["position"]
        room.write((shapes["Sow"], {"position": [x + 30, y + 40]}))
        ann.wait("app.session.overlapPairs().length > 0")
        yield "overlap"
        zoe.show(cursor=[100, 200], guides=True, view=[0, 0, *self.size])
        ann.notice("Zoe asks you to follow.").wait_for()
        yield "asked to follow"
        ann.run("app.actions.guide.run(); return null")
        ann.page.locator(".guiding .follow-pill").wait_for()
        yield "guiding"
        ann.notice("Zoe asks you to follow.").get_by_role("button", name="Follow").dispatch_event("click")
        ann.page.locator(".follow-pill", has_text="Following Zoe").wait_for()
        yield "following"
        ann.page.get_by_role("button", name="Stop", exact=True).dispatch_event("click")
        ann.take("laser")
        for _ in THEMES:
            (ann.touch if self.phone else ann).drag((60, 100), (250, 150), steps=12, hold=True)
        yield "laser"

    def closed(self):
        self.join("deleted")
        ann = self.ann
        shapes = self.draw_board()
        ann.go_offline()
        ann.delete(shapes["Seeds"])
        ann.page.locator(".status[data-kind=offline]").wait_for()
        yield "offline"
        ann.come_online()
        ann.wait("app.session.status().state === 'live' && app.session.unsentCount === 0")
        ann.run("app.connection.tell('effect', { type: 'error', code: 'token_expires' }); return null")
        yield "token expires"
        self.room.request("DELETE", "")
        ann.page.get_by_role("heading", name="This room was deleted").wait_for()
        yield "deleted room"

    def viewer(self):
        self.join("looking", query="?view")
        self.page.get_by_text("Nothing here yet").wait_for()
        yield "viewer of nothing"
        fill(self.room)
        self.ann.wait_for_shapes(4)
        yield "viewer"

    def rooms(self):
        for name in ("sprint-12", "a-room-whose-name-is-so-long-that-it-does-not-fit-on-a-card"):
            fill(self.world.room(name=name))
        self.join("sketches")
        self.ann.draw_squares()
        self.ann.wait_until_drawing_is_kept(0)
        self.page.goto(self.world.server.url("/"))
        more = self.page.get_by_role("button", name="More for sprint-12")
        self.page.get_by_role("link", name="sprint-12").wait_for()
        yield "lobby"
        more.click()
        yield "menu of a room"
        for entry, role in (("Rename…", "textbox"), ("Delete…", "button")):
            self.page.get_by_role("menuitem", name=entry).click()
            self.page.get_by_role("dialog").get_by_role(role).first.wait_for()
            yield f"lobby {entry}"
            self.page.keyboard.press("Escape")
            self.page.locator("dialog").wait_for(state="detached")
            more.click()
        self.page.keyboard.press("Escape")
        self.page.get_by_label("Room name").fill("no such room")
        yield "lobby finds nothing"


def take_every(folder, sizes=SIZES):
    for width, height, phone in sizes:
        with World() as world:
            every = EveryState(world, width, height, phone)
            for state in every.all():
                name = re.sub("[^a-z0-9]+", "-", state.lower()).strip("-")
                for theme, media in THEMES.items():
                    every.page.emulate_media(**{"forced_colors": "none", "reduced_motion": "reduce"} | media)
                    every.settle()
                    every.page.screenshot(path=folder / f"{name}-{width}x{height}-{theme}.png", animations="disabled", caret="hide")
                every.page.emulate_media(forced_colors="none", color_scheme="light")
                print(f"{width}×{height}: {state}", flush=True)
