"""The people in the room, and following one of them."""

from person import PHONE


def test_everyone_is_shown_with_initials_and_goes_again(room):
    """Each person has a badge in their colour, next to a count of the others and a list of all."""
    ann = room.join("Ann Arbor")
    bob = room.join("Bob")
    round_of_bob = ann.page.get_by_role("button", name="Follow Bob")
    round_of_bob.wait_for()
    assert round_of_bob.inner_text() == "B"
    assert bob.page.get_by_role("button", name="Follow Ann Arbor").inner_text() == "AA"
    round_of_bob.focus()
    room.guest("Guest 0")
    ann.page.get_by_role("button", name="Follow Guest 0").wait_for()
    assert round_of_bob.evaluate("(each) => each === document.activeElement"), "the keyboard stays where it was"
    for at in range(1, 4):
        room.guest(f"Guest {at}")
    everyone = ann.page.get_by_role("button", name="6 people are here")
    everyone.wait_for()
    everyone.click()
    ann.page.locator(".people-list li").nth(5).wait_for()
    assert ann.page.locator(".people-list li").count() == 6
    # Everybody in the list can be followed, even Bob with his very long name.
    bob.run("app.setMe({ name: 'Bob of the very long name that goes on and on', color: app.me.color }); return null")
    ann.page.locator(".people-list li", has_text="goes on and on").wait_for()
    sheet = ann.page.locator(".people-list").bounding_box()
    follow = ann.page.locator(".people-list").get_by_role("button", name="Follow Guest 0")
    assert follow.bounding_box()["x"] + follow.bounding_box()["width"] <= sheet["x"] + sheet["width"]
    ann.press("Escape")
    # While it is closed, the list isn't made anew whenever somebody comes, goes or has another name.
    bob.run("app.setMe({ name: 'Bob', color: app.me.color }); return null")
    ann.wait("app.presence.people().some(({ name }) => name === 'Bob')", "Bob's short name")
    assert ann.page.locator(".people-list li", has_text="goes on and on").count() == 1
    everyone.click()
    assert ann.page.locator(".people-list li", has_text="goes on and on").count() == 0
    ann.press("Escape")
    bob.leave()
    everyone.wait_for(state="hidden")
    assert ann.page.locator(".people-others button").count() == 4
    assert ann.page.get_by_role("button", name="Follow Bob").count() == 0


def test_a_person_in_another_tab_points_at_nothing(room):
    """Their pointer and the frame around their selection go when their tab is hidden, and come back with it."""
    shape = room.add(position=[100, 100], size=[100, 100])
    ann, ben = room.join("Ann"), room.join("Ben")
    ann.wait_for_shapes(1)
    ann.select(shape)
    ann.page.mouse.move(400, 300)
    seen = "app.presence.people().some(({ cursor, selection }) => cursor !== null && selection.length === 1)"
    gone = "app.presence.people().every(({ cursor, selection }) => cursor === null && selection.length === 0)"
    ben.wait(seen, "Ann's pointer and selection")
    for is_hidden, what in ((True, gone), (False, seen)):
        ann.hide(is_hidden)
        ben.wait(what, f"what Ann shows, hidden: {is_hidden}")


def test_a_crowd_is_a_number(room):
    """A hundred people are listed by name. The others are a count, next to the badges and in the list. Who is named, the
    server decides: RoomsCrowdTests."""
    ann = room.join("Ann")

    def are_there(named, people):
        peers = [{"actor": 5000 + at, "name": f"Guest {at}", "color": "#0F766E", "state": {}} for at in range(named)]
        ann.run("app.perform([{ type: 'peers', peers: value[0] }, { type: 'crowd', people: value[1] }]); return null", [peers, people])

    are_there(100, 1_104)
    # The page shows three badges and the count of the others.
    ann.page.locator(".everyone .rest", has_text="+1,100").wait_for()
    assert ann.page.locator(".everyone .person").evaluate("(each) => each.scrollWidth <= each.clientWidth"), "all digits fit"
    ann.page.get_by_role("button", name="1,104 people are here").click()
    ann.page.locator(".people-list", has_text="and 1,003 more").wait_for()
    assert ann.page.locator(".people-list li").count() == 1 + 100 + 1
    ann.press("Escape")
    are_there(2, 0)
    # The count is hidden, because both other people have a badge.
    ann.wait("document.querySelector('.everyone').getAttribute('aria-label') === '3 people are here'", "that the crowd is gone")
    ann.wait("document.querySelectorAll('.people-others button').length === 2", "the badges of the two others")
    assert ann.run("app.presence.unnamedCount") == 0


def test_following_shows_what_the_other_sees_until_one_moves(room):
    """Ann's view follows Bob's, also when he changes his name. It stops when Ann moves her view. When it waits, and what
    becomes of it if Bob leaves: Tests/network/following.test.mjs."""
    room.add(position=[0, 0])
    ann = room.join("Ann")
    bob = room.join("Bob")
    ann.page.get_by_role("button", name="Follow Bob").click()
    bob.look_at(4000, 3000, 2)
    sees = "((own) => Math.abs(own.x + own.width / 2 - 4320) < 30 && Math.abs(own.y + own.height / 2 - 3200) < 30)(app.view.visibleBox())"
    ann.wait(sees, "what Bob sees")
    assert ann.page.locator(".follow-frame").is_visible()
    bob.page.get_by_title("You", exact=True).click()
    bob.page.get_by_label("What should others call you?").fill("Robert")
    bob.page.get_by_role("button", name="Save").click()
    ann.page.locator(".follow-pill", has_text="Following Robert").wait_for()
    bob.look_at(-900, -700)
    ann.wait("app.view.visibleBox().x < 0", "Bob's new place")
    assert ann.notice("has left").count() == 0
    ann.page.mouse.move(600, 400)
    ann.page.mouse.wheel(0, 300)
    ann.page.locator(".follow-frame").wait_for(state="hidden")
    # So does going to something, such as to all of the drawing.
    ann.page.get_by_role("button", name="Follow Robert").click()
    ann.page.locator(".follow-frame").wait_for()
    ann.press("0")
    ann.page.locator(".follow-frame").wait_for(state="hidden")


def test_one_can_stop_following_while_one_searches(room):
    """The button is seen beside the search, and above a banner."""
    room.add(position=[0, 0])
    ann = room.join("Ann", size=(1000, 640))
    room.guest("Bob with a name that takes all the width of it")
    ann.wait("app.presence.people().length === 1")
    ann.press("Control+f")
    ann.page.get_by_label("Text or name").wait_for()
    for width in (1000, 360, 320):
        ann.page.set_viewport_size({"width": width, "height": 640})
        ann.wait(f"app.view.width === {width}")
        ann.painted()
        everyone = ann.page.get_by_role("button", name="people are here")
        if everyone.is_visible():
            everyone.click()
            ann.page.get_by_role("listitem").get_by_role("button", name="Follow Bob").click()
            ann.page.get_by_role("listitem").get_by_role("button", name="Stop following Bob").wait_for()
            ann.press("Escape")
            ann.page.get_by_role("dialog").wait_for(state="hidden")
        else:
            ann.page.get_by_role("button", name="Follow Bob").click()
        ann.run("app.refusals.tell('full', null); return null")
        banner = ann.page.locator(".banner", has_text="This room is full")
        banner.wait_for()
        ann.page.locator(".follow-pill").get_by_role("button", name="Stop").click()
        assert banner.is_visible()
        ann.page.locator(".follow-frame").wait_for(state="hidden")
        assert ann.page.get_by_label("Text or name").is_visible()


def test_one_is_called_as_one_likes_and_stays_so(room):
    """Others see the new name and colour at once, and the browser stores them. Earlier edits can still be undone."""
    ann = room.join("Ann")
    bob = room.join("Bob")
    ann.run("app.edit((session) => session.addSquare({ x: 0, y: 0, width: 300, height: 300 })); return null")
    ann.page.get_by_role("button", name="You’re Ann").click()
    field = ann.page.get_by_label("What should others call you?")
    field.fill("  ")
    ann.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("Annika of a name of more than forty characters")
    ann.page.get_by_label("Colour #B42318").check(force=True)
    ann.page.get_by_role("button", name="Save").click()
    bob.page.get_by_role("button", name="Follow Annika").wait_for()
    assert bob.run("app.presence.people()[0].color") == "#B42318"
    ann.wait("app.session.status().state === 'live'")
    ann.run("app.edit((session) => session.undo()); return null")
    room.wait_for_shapes(0)
    ann.page.reload()
    ann.page.get_by_role("button", name="You’re Annika").wait_for()


def test_nobody_has_to_say_who_they_are(room):
    """A new person gets a name and a colour, and can draw at once. The page offers once to change the name."""
    def forget(page):
        page.add_init_script("if (!sessionStorage.getItem('been')) { localStorage.clear(); sessionStorage.setItem('been', '1') }")

    ann = room.join("Ann", before=forget)
    ann.notice("You’re").wait_for()
    there = room.world.room(name=f"{room.name}-elsewhere").join("Ann", context=ann.context)
    assert there.run("app.me.name") == ann.run("app.me.name") and there.notice("You’re").count() == 0
    there.close()
    ann.notice("You’re").get_by_role("button", name="Change name").click()
    ann.page.get_by_label("What should others call you?").fill("Zoe")
    ann.press("Enter")
    ann.page.reload()
    ann.page.get_by_role("button", name="You’re Zoe").wait_for()
    assert ann.notice("You’re").count() == 0


def test_who_comes_gets_a_colour_that_nobody_has(room):
    """Another one for this visit, if it wasn't chosen by the person. The stored colour stays."""
    def given(page):
        page.add_init_script(
            "if (location.host && !sessionStorage.getItem('been')) { sessionStorage.setItem('been', '1'); localStorage.setItem('canvas.me', "
            "JSON.stringify({ name: 'Bob', color: '#0F766E', isChosen: true })) }")

    # Guests have this colour.
    room.guest("Ann")
    bob = room.join("Bob", before=given)
    bob.wait("app.me.color !== '#0F766E' && app.session.status().state === 'live'", "another colour")
    assert bob.page.evaluate("document.documentElement.style.getPropertyValue('--me')") == bob.run("app.me.color")
    assert bob.page.evaluate("JSON.parse(localStorage.getItem('canvas.me')).color") == "#0F766E"
    room.guests.close()
    bob.wait("app.presence.people().length === 0", "Ann has left")
    bob.reload()
    assert bob.run("app.me.color") == "#0F766E"


def test_ones_own_second_tab_is_nobody_else(room):
    """A person's second tab can't be followed, isn't counted, and doesn't change their colour."""
    ann = room.join("Ann")
    room.guest("Bob")
    again = room.join("Ann", context=ann.context)
    for tab in (ann, again):
        tab.page.get_by_role("button", name="Follow Bob").wait_for()
        tab.wait("app.presence.people().length === 2")
        tab.page.get_by_role("button", name="Follow Ann").wait_for(state="detached")
        assert tab.page.locator(".people-others button").count() == 1
        assert tab.page.get_by_role("button", name="2 people are here").count() == 1 or tab.page.locator(".everyone").is_hidden()
    assert again.run("app.me.color") == ann.run("app.me.color")
    ann.run("document.querySelector('.everyone').classList.add('needed'); return null")
    ann.page.locator(".everyone").click()
    assert "Ann (you, in 2 tabs)" in ann.page.inner_text(".people-list")


def test_a_name_above_a_cursor_is_cut_where_its_room_ends(room):
    """The name is truncated by its width, and not by its number of letters. Right-to-left names don't reorder the text
    around them, and combined characters aren't split."""
    ann = room.join("Ann", before=lambda page: page.add_init_script("""
        window.painted = new Set()
        const { prototype } = CanvasRenderingContext2D
        const { fillText } = prototype
        prototype.fillText = function (text, ...place) { painted.add(text); return fillText.call(this, text, ...place) }"""))
    with room.stranger("i" * 64) as slim:
        slim.show(cursor=[200, 200])
        ann.page.wait_for_function("() => [...painted].some((text) => /^i+…$/.test(text))")
        cut = ann.page.evaluate("[...painted].find((text) => /^i+…$/.test(text))")
        width = ann.page.evaluate("""(cut) => {
            const context = document.querySelector('#overlay').getContext('2d')
            return [cut, 'i' + cut].map((text) => context.measureText(text).width)
        }""", cut)
    assert 40 < len(cut) < 64 and width[0] <= 160 < width[1], (cut, width)
    turned, family = "\u05d1\u05d5\u05d1 gnp", "\U0001f469\u200d\U0001f469\u200d\U0001f467 Family"
    room.guest(turned)
    room.guest(family)
    ann.page.get_by_role("button", name="gnp").click()
    assert ann.page.locator(".follow-pill span").text_content() == f"Following \u2068{turned}\u2069"
    assert ann.page.get_by_role("button", name="Family").text_content() == "\U0001f469\u200d\U0001f469\u200d\U0001f467"


def test_on_the_smallest_phone_the_rooms_name_and_whether_all_is_saved_are_not_cut(room):
    """The menu has what the button for links has where that is wider. Being offline is told once, and what else there is
    to say is below the bar."""
    room = room.world.room(name=f"Plan-{room.world.count}")
    ann = room.join("Ann", phone=True, size=(320, 640), forgive=["ERR_INTERNET_DISCONNECTED"])
    room.guest("Bob")
    ann.page.locator(".everyone").wait_for()
    for words in (ann.page.locator(".status-words", has_text="Saved"), ann.page.locator("#room-name")):
        assert words.evaluate("(words) => words.scrollWidth <= words.clientWidth && words.clientWidth > 0")
    ann.page.get_by_role("button", name="Menu", exact=True).tap()
    ann.page.get_by_role("menuitem", name="Copy link").wait_for()
    ann.page.get_by_role("menuitem", name="Copy view-only link").wait_for()
    ann.press("Escape")
    ann.page.set_viewport_size(PHONE)
    ann.context.set_offline(True)
    told = """(() => {
        const words = document.querySelector('.status-words')
        return [words.textContent, getComputedStyle(words).position, getComputedStyle(words.parentElement, '::after').content]
    })()"""
    ann.wait("document.querySelector('.status').dataset.kind === 'offline'")
    assert ann.page.evaluate(told) == ["Offline", "static", "none"]
    ann.run("app.edit((session) => session.add({ position: [0, 0] })); return null")
    ann.wait("document.querySelector('.status-words').textContent !== 'Offline'")
    assert ann.page.evaluate(told) == ["Offline: your 1 change is kept.", "fixed", '"Offline"']
