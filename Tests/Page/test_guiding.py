"""Asking others to follow: they are asked by a notice, and follow only if they want to."""

PILL = ".guiding .follow-pill"
ASK = "Ask others to follow you"


def asks(person, name):
    return person.notice(f"{name} asks you to follow.")


def test_who_is_asked_follows_by_one_press_or_not_at_all(room):
    """Who asks sees how many follow. When they stop, the notices go, and those who were asked no longer follow. Who
    follows without having been asked goes on."""
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
    eve = room.join("Eve", at=(0, 0))
    asks(eve, "Ann").wait_for()
    eve.see(2)
    assert eve.run("[app.view.x, app.view.y]") == [0, 0], "nobody is made to follow"
    eve.page.get_by_role("button", name="Follow Ann").click()
    ann.page.locator(PILL, has_text="2 people follow you").wait_for()
    ann.page.locator(PILL).get_by_role("button", name="Stop").click()
    ann.page.locator(PILL).wait_for(state="hidden")
    ben.notice("You no longer follow Ann.").wait_for()
    ben.page.locator(".follow-pill", has_text="Following Ann").wait_for(state="hidden")
    assert eve.page.locator(".follow-pill", has_text="Following Ann").is_visible()


def test_two_do_not_lead_each_other(room):
    """Who follows somebody no longer asks others to follow, and who asks follows nobody."""
    ann, ben = room.join("Ann", at=(0, 0)), room.join("Ben", phone=True, at=(0, 0))
    ben.page.get_by_role("button", name="2 people are here").click()
    ben.page.get_by_role("button", name=ASK).click()
    ben.page.locator(PILL).wait_for()
    asks(ann, "Ben").get_by_role("button", name="Follow").click()
    ben.page.locator(PILL, has_text="Ann follows you").wait_for()
    ann.choose(ASK, role="menuitemcheckbox")
    ann.page.locator(PILL).wait_for()
    ann.wait("app.presence.people().length === 1")
    assert ann.page.locator(".follow-pill", has_text="Following Ben").is_hidden()
    asks(ben, "Ann").get_by_role("button", name="Follow").click()
    ben.page.locator(".follow-pill", has_text="Following Ann").wait_for()
    assert ben.page.locator(PILL).is_hidden()
    ann.page.locator(PILL, has_text="Ben follows you").wait_for()
