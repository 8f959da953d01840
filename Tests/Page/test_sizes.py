"""Targets for fingers, a zoom of 400 %, high contrast, and texts from right to left."""

import itertools

from boards import NOTE
from states import fill, select, states

TARGETS = """(() => [...document.querySelectorAll('button, a, select, summary, input, [role=option], label.swatch')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && !each.matches('.skip, .visually-hidden'))
  .map((each) => [each.getAttribute('aria-label') ?? (each.innerText || each.className), each.matches('[type=checkbox], [type=radio]')
      ? (each.closest('label') ?? each.parentElement).getBoundingClientRect() : each.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < 43.9 || box.height < 43.9))
  .map(([name, box]) => `${name} ${Math.round(box.width)}×${Math.round(box.height)}`))()"""


# What sticks out of a window that is 320 pixels wide.
BEYOND = """(() => [...document.querySelectorAll('button, input, h1, p')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true })
    && !each.closest('.visually-hidden, .layers-grid, [popover]:not(:popover-open)'))
  .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.left < -1 || box.right > 321)).map(([html]) => `${html} sticks out`))()"""


def test_all_is_large_enough_for_a_finger_and_fits_on_320_pixels(room):
    """44 by 44 CSS pixels, wherever the pointer is a finger. Nothing sticks out of the window."""
    fill(room)
    room.guest("Ben")
    ann = room.join("Ann", phone=True, size=(320, 760), still=True, at=(0, 0))
    ann.page.get_by_role("button", name="2 people are here").wait_for()
    faults = {}

    def check(state):
        if found := ann.page.evaluate(TARGETS) + ann.page.evaluate(BEYOND):
            faults[state] = found

    for state in states(ann, people=2):
        # No finger opens the menu of the right button.
        if state != "Actions":
            check(state)
    ann.page.goto(room.server.url("/"))
    ann.page.get_by_role("link", name=room.name).wait_for()
    check("rooms")
    assert not faults, "\n".join(f"{state}: {found}" for state, found in faults.items())


def window_of_400_percent(room, **options):
    """A window of 1,280 by 1,024 CSS pixels at a zoom of 400 %, with a mouse and a keyboard."""
    ann = room.join("Ann", size=(320, 256), still=True, at=(0, 0), **options)
    return ann


def outside(person):
    """What of the focused element lies outside of the window, or of what scrolls around it."""
    return person.page.evaluate("""() => {
      const each = document.activeElement
      if (each === document.body || each.matches('.waiting-field')) return null
      each.scrollIntoView({ block: 'nearest' })
      const { left, right, top, bottom } = each.getBoundingClientRect()
      const words = `${each.getAttribute('aria-label') ?? (each.innerText || each.id || each.className)} ${[left, right, top, bottom].map(Math.round)}`
      if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1) return words
      const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      return each.contains(middle) || middle?.contains(each) || each.labels?.length ? null : `${words} under ${middle?.outerHTML.slice(0, 80)}`
    }""")


def test_everything_is_reached_at_400_percent(room):
    """Whatever takes the focus can be seen whole, and nothing scrolls in two directions but the canvas."""
    fill(room)
    ann = window_of_400_percent(room)
    page = ann.page
    hidden = []

    def walk(what, key="Tab", count=30):
        for _ in range(count):
            page.keyboard.press(key)
            if found := outside(ann):
                hidden.append(f"{what}: {found}")
        sideways = page.evaluate("""[document.documentElement, ...document.querySelectorAll('dialog, .popover, .panel section, .reading ul')]
            .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.className || each.tagName)""")
        hidden.extend(f"{what} scrolls sideways: {each}" for each in sideways)

    walk("the room")
    for name in ["Menu", "Zoom: 100%"]:
        page.get_by_role("button", name=name, exact=True).press("Enter")
        walk(name, "ArrowDown", 24)
        page.keyboard.press("Escape")
    for name in ["Style of the next shape", "More tools", "You’re Ann. Change your name and colour"]:
        page.get_by_role("button", name=name, exact=True).press("Enter")
        walk(name, count=16)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Layers, inspector, overlaps").press("Enter")
    select(ann, 0)
    for tab in ["layers", "inspector", "overlaps"]:
        page.locator(f"#tab-{tab}").click()
        if tab == "inspector":
            page.get_by_role("group", name="Arrange").wait_for()
        walk(tab, count=24)
    page.get_by_role("button", name="Close the panel").press("Enter")
    page.evaluate("document.activeElement.blur()")
    for key in ["Alt+k", "?"]:
        if key == "?":
            # What is typed would continue the text of the star, if the tool that selects is in hand.
            ann.run("app.selection.clear(); return null")
        ann.press(key)
        page.get_by_role("dialog").wait_for()
        walk(key, count=6)
        ann.press("Escape")
        ann.wait_for_no_dialog()
    ann.press("Alt+r")
    walk("the list of shapes", "ArrowDown", 6)
    assert not hidden, "\n".join(hidden)


def test_a_window_of_little_height_can_be_used_at_400_percent(room):
    """1,280 by 800 pixels: what stands in the middle of the canvas is reached, and what is told is seen whole."""
    ann = room.join("Ann", size=(320, 200), still=True, at=(0, 0))
    page = ann.page

    def reach(*names):
        for name in names:
            page.get_by_role("button", name=name, exact=True).focus()
            assert outside(ann) is None, outside(ann)

    reach("Start with three squares")
    ann.draw_squares()
    select(ann, 0)
    shape = ann.run("app.session.shape(app.selection.ids()[0])")
    ann.look_at(shape["x"] - 100, shape["y"] - 60)
    ann.painted()
    page.locator(".selection-bar").wait_for()
    reach("Menu", "Zoom: 100%", "Layers, inspector, overlaps", "Select", "Undo", "Colours of the selection", "Delete")
    ann.run("app.say('Something rather long happened to all the shapes of this room.', { action: { words: 'Bring back', run() {} } }); return null")
    assert page.locator(".notice").bounding_box()["y"] >= 0
    reach("Bring back", "Dismiss")
    ann.press("Enter")
    room.request("DELETE", "")
    page.get_by_role("heading", name="This room was deleted").wait_for()
    reach("Export as JSON", "Start over")


CONTRAST = """() => {
  const pixel = document.createElement('canvas').getContext('2d')
  const channels = (color) => {
    pixel.clearRect(0, 0, 1, 1)
    pixel.fillStyle = color
    pixel.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const over = ([r, g, b, a = 1], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)]
  const behind = (each) => {
    const layers = []
    for (let up = each; up; up = up.parentElement) layers.push(channels(getComputedStyle(up).backgroundColor))
    return layers.reverse().reduce((under, color) => over(color, under), [255, 255, 255])
  }
  const light = (color) => color.map((each) => each / 255).map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0)
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const faults = []
  for (const each of document.querySelectorAll('button, [role=tab], [role=menuitemcheckbox], .layer-name, h1')) {
    if (!each.checkVisibility({ visibilityProperty: true }) || each.matches(':disabled, [aria-disabled=true], .skip')) continue
    const name = each.getAttribute('aria-label') ?? each.innerText
    const ground = behind(each)
    if (ratio(over(channels(getComputedStyle(each).color), ground), ground) < 4.5) faults.push(`${name} can't be read`)
  }
  for (const each of document.querySelectorAll('.layer[aria-selected=false] .layer-swatch')) {
    const ground = behind(each)
    if (ratio(over(channels(getComputedStyle(each).color), ground), ground) < 3) faults.push('a layer’s icon is not seen')
  }
  const [pressed, other] = ['true', 'false'].map((is) => behind(document.querySelector(`.toolbar [aria-pressed=${is}]`)))
  const ring = getComputedStyle(document.querySelector('.toolbar [aria-pressed=true]')).boxShadow
  if (ratio(pressed, other) < 3 && ring === 'none') faults.push('the tool in hand is not seen')
  const { accent, paper } = window.canvasApp.palette.colors
  const ground = channels(paper)
  if (ratio(over(channels(accent), ground), ground) < 3) faults.push('the selection is not seen')
  const focused = getComputedStyle(document.activeElement)
  const around = behind(document.activeElement.parentElement)
  if (focused.outlineStyle === 'none' || ratio(over(channels(focused.outlineColor), around), around) < 3) faults.push('the focus is not seen')
  const probe = document.body.appendChild(document.createElement('p'))
  probe.style.color = 'Canvas'
  if (matchMedia('(forced-colors: active)').matches && `${channels(getComputedStyle(probe).color)}` !== `${ground}`) faults.push('the paper has another colour')
  probe.remove()
  return faults
}"""


def test_high_contrast_shows_focus_selection_switches_and_icons(room):
    """The system's colours are the page's too, on the canvas as well."""
    fill(room)
    ann = room.join("Ann", panel="layers", at=(0, 0))
    icons = "(is) => getComputedStyle(document.querySelector(`[role=menuitemcheckbox][aria-checked=${is}] .icon`)).visibility"
    for asked, scheme in itertools.product(({"forced_colors": "active", "contrast": "null"}, {"forced_colors": "none", "contrast": "more"}), ("light", "dark")):
        ann.page.emulate_media(reduced_motion="reduce", color_scheme=scheme, **asked)
        select(ann, 0)
        ann.page.locator("#tab-layers").focus()
        ann.press("Shift+Tab")
        assert ann.page.evaluate(CONTRAST) == [], (asked, scheme)
        ann.page.get_by_role("button", name="Menu", exact=True).press("Enter")
        ann.see(2)
        assert ann.page.evaluate(CONTRAST) == [], (asked, scheme)
        assert [ann.page.evaluate(icons, state) for state in ("true", "false")] == ["visible", "hidden"], "a switch shows whether it is on"
        ann.press("Escape")


def test_nothing_moves_by_itself_where_less_motion_is_asked_for(room):
    """Neither the page's boxes nor the view on its way somewhere. Shapes that others move: Tests/gestures/picture.test.mjs."""
    fill(room)
    ann = room.join("Ann", still=True, panel="layers", at=(0, 0))
    ann.page.get_by_role("button", name="Menu", exact=True).press("Enter")
    assert ann.page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length") == 0
    ann.press("Escape")
    ann.run("app.say('Something happened.'); app.actions.zoomToFit.run(); return null")
    before = ann.run("[app.view.x, app.view.y, app.view.scale]")
    ann.see(3)
    assert ann.run("[app.view.x, app.view.y, app.view.scale]") == before
    assert ann.page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length") == 0


def test_what_is_typed_from_right_to_left_reads_from_right_to_left(room):
    """Names and texts in Hebrew and Arabic, in lists and in notices. The page's own layout stays."""
    note = room.add(kind="rectangle", text="שלום, עולם", fill=NOTE, position=[300, 200], size=[200, 100])
    room.add(kind="ellipse", name="دائرة (1)", position=[320, 210], size=[100, 60])
    ann = room.join("Ann", panel="layers", at=(0, 0))
    page = ann.page
    directions = "(elements) => elements.map((each) => getComputedStyle(each).direction)"
    page.locator(".layer-name").nth(1).wait_for()
    assert page.eval_on_selector_all(".layer-name", directions) == ["rtl", "rtl"]
    swatches = page.eval_on_selector_all(".layer-swatch", "(elements) => elements.map((each) => each.getBoundingClientRect().left)")
    names = page.eval_on_selector_all(".layer-name", "(elements) => elements.map((each) => each.getBoundingClientRect().left)")
    assert all(name > swatch for name, swatch in zip(names, swatches)), "the row itself isn't turned"
    ann.run("app.say('شكل جديد'); app.say('A new shape'); return null")
    assert page.eval_on_selector_all(".notice-words", directions) == ["rtl", "ltr"]
    page.click("#tab-overlaps")
    page.locator(".overlap-pair").wait_for()
    assert page.eval_on_selector_all(".overlap-pair", directions) == ["ltr"], "a sentence of the page's own, with the names in it"
    page.click("#tab-inspector")
    ann.select(note)
    field = page.get_by_role("textbox", name="Name", exact=True)
    field.fill("הערה")
    assert field.evaluate("(each) => getComputedStyle(each).direction") == "rtl"
    ann.press("Escape", "Alt+r")
    page.locator(".reading li").nth(1).wait_for()
    assert "“\u2068שלום, עולם\u2069”" in page.locator(".reading li").first.inner_text() + page.locator(".reading li").nth(1).inner_text()
    ann.press("Escape")
    page.evaluate("document.activeElement.blur()")
    ann.select(note)
    ann.press("F2")
    ann.wait("document.activeElement.matches('.writing-field')")
    assert page.eval_on_selector(".writing-field", "(each) => getComputedStyle(each).direction") == "rtl"
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
