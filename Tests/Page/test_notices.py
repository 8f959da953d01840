"""Notices: their buttons do what the text says, they disappear when they are no longer true, and they leave space to
draw."""

import re

from waiting import wait_until


# The server has a newer version of the page by now. Of the parts that aren't there yet it gives none.
NEWER = '{"version": "another", "files": []}'


def test_the_buttons_of_a_notice_leave_its_text_space(room):
    """They go below a text that would have too little space beside them, such as three letters a line."""
    ann = room.join("Ann", still=True)
    for width in (1100, 390, 320):
        ann.page.set_viewport_size({"width": width, "height": 640})
        for text, action in (("Link copied.", "Undo"), ("You’re Merry Wren.", "Change name"),
                             ("Merry Wren restored the drawing as of today, 7:53:23 AM.", "Bring back")):
            ann.run("app.notices.say(value[0], { group: 'one', action: { words: value[1], run() {} } }); return null", [text, action])
            notice = ann.page.locator(".notice", has_text=text)
            words, button, close = (notice.locator(part).bounding_box()
                                    for part in (".notice-words", f"button:text('{action}')", "[aria-label=Dismiss]"))
            is_below = button["y"] >= words["y"] + words["height"] - 1
            assert words["width"] >= 140 or words["height"] < 30, (width, text, words, button)
            assert button["y"] == close["y"] and not (is_below and action == "Undo" and width > 320), (width, words, button, close)


def test_overlaps_that_others_cause_are_told_while_they_last(room):
    """A duplicate or pasted copy overlaps its original, which its maker knows. When one of two overlapping shapes is
    deleted, the notice goes. A shape without a name is called by its text."""
    sun, moon = (room.add(size=[100, 100], position=[x, 200], text=text) for x, text in ((100, "Sun\nrises"), (300, "Moon " * 40)))
    ann, bob = room.join("Ann"), room.join("Bob")
    # Overlaps that exist when the room is first shown are not announced.
    bob.painted()
    notice = bob.page.locator(".notice.is-overlap")
    room.write((moon, {"position": [150, 230]}))
    notice.filter(has_text=re.compile(r"^(“Sun”|“Moon Moon .*…”) overlaps (“Sun”|“Moon Moon .*…”) · Someone")).wait_for()
    notice.hover()
    room.write((sun, {"deleted": True}))
    notice.wait_for(state="detached")
    ann.wait_for_shapes(1)
    ann.page.locator(".notice").wait_for(state="detached")
    ann.press("Control+a", "Control+d")
    ann.wait("app.session.overlapPairs().length === 1")
    notice.filter(has_text="Ann").wait_for()
    bob.page.get_by_role("button", name="Dismiss").click()
    ann.press("Control+c", "Control+v")
    ann.wait("app.session.overlapPairs().length === 3")
    notice.filter(has_text="Ann").first.wait_for()
    assert ann.page.locator(".notice").count() == 0


def test_texts_that_are_lost_are_told_without_the_parts_that_tell_more_of_them(room):
    """Each has a notice of its own with all of it, because that may be the only copy. Without TLS there is no clipboard."""
    def upgrade(page):
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        for part in ("write/text-losses.js", "state/refusal-notices.js"):
            page.route(f"**/{part}*", lambda route: route.fulfill(status=404))
        page.route("**/page.json", lambda route: route.fulfill(body=NEWER, content_type="application/json"))
    ann = room.join("Ann", forgive=["404", "MIME"], before=upgrade)
    notices = ann.page.locator(".notice.is-refused")

    def take(effects):
        ann.run("app.perform(value); return null", effects)
    take([{"type": "textLost", "shape": 1, "text": text, "by": 2} for text in ("First", "Second")])
    take([{"type": "rejected", "shape": 1, "set": values, "code": "too_old", "message": ""}
          for values in ({"text": "Third"}, {"text": "Fourth"}, {})])
    told = [notices.filter(has_text=f"“{text}”") for text in ("First", "Second", "Third Fourth")]
    for notice in told:
        notice.locator(".is-whole").wait_for()
    ann.run("for (const text of ['One.', 'Two.', 'Three.']) app.say(text); return null")
    assert [notice.count() for notice in told] == [1, 1, 1], "other notices take the place of the only copy"


def test_a_text_that_is_lost_is_told_though_a_request_does_not_end(room):
    """The part that tells it is asked for again after a minute. The server has taken the first request, and says nothing,
    nor to the request for the looks of all such parts. More is in Tests/network/parts.test.mjs."""
    held = []
    ann = room.join("Ann", clock=True, before=lambda page: page.route(
        re.compile(r"/write/text-losses\.js$|/room/later\.css$"), lambda route: held.append(route)))
    ann.run("app.perform([{ type: 'textLost', shape: 1, text: 'Seeds', by: 2 }]); return null")
    wait_until(lambda: ann.run("true") and len(held) == 2, "the part and its looks are asked for")
    ann.stop_clock()
    # In small steps, because the server answers in its own time.
    for _ in range(66):
        ann.pass_time(1_000)
    ann.notice("“Seeds”").wait_for()


def test_on_a_phone_there_is_one_notice(room):
    """The newest, in landscape too. One about an overlap doesn't replace one with a button. No other notice takes the place
    of one with the only copy of a text, which comes once the one before it is gone."""
    eve = room.join("Eve", phone=True, clipboard=True)
    for size in ({"width": 844, "height": 390}, {"width": 390, "height": 844}):
        eve.page.set_viewport_size(size)
        eve.run("app.say('One.'); app.say('Two.'); return null")
        assert eve.page.locator(".notice").all_inner_texts() == ["Two."]
    eve.run("app.say('Three.', { action: { words: 'Undo', run() {} } }); app.say('A overlaps B', { kind: 'overlap' }); return null")
    assert [text.split("\n")[0] for text in eve.page.locator(".notice").all_inner_texts()] == ["Three."]
    # What offers to bring something back stays beside the newest.
    eve.run("app.say('Bob cleared the canvas.', { isKept: true, action: { words: 'Bring back', run() {} } }); return null")
    for text in ("Four.", "Five."):
        eve.run("app.say(value); return null", text)
        assert [each.split("\n")[0] for each in eve.page.locator(".notice").all_inner_texts()] == ["Bob cleared the canvas.", text]
    eve.run("app.say('Three.', { action: { words: 'Undo', run() {} } }); return null")
    # The open panel doesn't cover it.
    eve.page.get_by_role("button", name="Layers, inspector, overlaps").tap()
    eve.page.locator(".notice").get_by_role("button", name="Undo").click(trial=True)

    def shown():
        return [text.split("\n")[0] for text in eve.page.locator(".notice").all_inner_texts()]
    eve.reload()
    eve.run("for (const at of [1, 2, 3]) app.say(`Lost ${at}`, { holds: `text ${at}`, action: { words: 'Keep', run() {} } }); return null")
    eve.run("app.say('Quiet.'); return null")
    assert shown() == ["Lost 1", "Quiet."]
    eve.run("app.notices.withdraw('Lost 2'); return null")
    eve.page.get_by_role("button", name="Keep").tap()
    eve.page.locator(".notice", has_text="Lost 3").wait_for()
    assert shown() == ["Lost 3"]
    # A newer notice of the same group takes the place of the one before.
    eve.run("app.say('Lost 4', { holds: 'text 4', group: 'lost' }); app.say('Lost 3, newer', { holds: 'text 3', group: 'Lost 3' }); return null")
    assert shown() == ["Lost 3, newer"]
    # They are there again after a reload, until each is dismissed.
    eve.reload()
    eve.page.get_by_role("button", name="Copy the text").tap()
    eve.notice("Copied.").wait_for()
    eve.notice("Lost 4").get_by_role("button", name="Dismiss").tap()
    assert eve.page.evaluate("navigator.clipboard.readText()") == "text 3"
    eve.reload()
    assert shown() == []
