"""Asking others to follow: they are asked by a notice, and follow only if they want to."""

PILL = ".guiding .follow-pill"
ASK = "Ask others to follow you"


def asks(person, name):
    return person.notice(f"{name} asks you to follow.")


def test_who_is_asked_follows_by_one_press_or_not_at_all(room):
    """Who asks sees how many follow. When they stop, the notices go, and those who were asked no longer follow. Who
    follows without having been asked goes on, until they ask themselves. More is in Tests/network/following.test.mjs."""
    room.add(position=[0, 0])
    ann, ben = room.join("Ann", at=(0, 0)), room.join("Ben", at=(0, 0))
    ann.wait("app.presence.people().length === 1")
    ann.choose(ASK, role="menuitemcheckbox")
    ann.page.locator(PILL, has_text="You’ve asked others to follow you").wait_for()
    asks(ben, "Ann").get_by_role("button", name="Follow").click()
    ann.page.locator(PILL, has_text="Ben follows you").wait_for()
    ben.page.locator(".follow-pill", has_text="Following Ann").wait_for()
    assert ben.page.get_by_role("button", name="Stop following Ann").get_attribute("aria-pressed") == "true"
    ann.run("app.view.panBy(-500, -300); return null")
    ben.wait("app.view.x > 100 && app.view.y > 50", "what Ann sees")
    # Somebody who comes later is asked too.
    eve = room.join("Eve", phone=True, at=(0, 0))
    everyone = eve.page.get_by_role("button", name="3 people are here")
    asks(eve, "Ann").wait_for()
    eve.see(2)
    assert eve.run("[app.view.x, app.view.y]") == [0, 0], "nobody is made to follow"
    everyone.click()
    eve.page.get_by_role("listitem").get_by_role("button", name="Follow Ann").click()
    ann.page.locator(PILL, has_text="2 people follow you").wait_for()
    ann.page.locator(PILL).get_by_role("button", name="Stop").click()
    ann.page.locator(PILL).wait_for(state="hidden")
    ben.notice("You no longer follow Ann.").wait_for()
    ben.page.locator(".follow-pill", has_text="Following Ann").wait_for(state="hidden")
    assert eve.page.locator(".follow-pill", has_text="Following Ann").is_visible()
    eve.press("Escape")
    everyone.click()
    eve.page.get_by_role("button", name=ASK).click()
    eve.page.locator(PILL).wait_for()
    assert eve.page.locator(".follow-pill", has_text="Following Ann").is_hidden()
