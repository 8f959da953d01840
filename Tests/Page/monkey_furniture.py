"""The monkey's deeds in menus, dialogs, panels, fields and rows. Escape must close each of them without changing
anything."""

import json

FURNITURE = [
    "escape_menus", "escape_dialog", "escape_panel", "escape_history", "escape_renaming", "escape_row", "escape_slider", "escape_colour",
    "escape_writing", "escape_tool", "field", "field", "rows", "toolbar",
]
# The ways to leave a field after typing.
LEAVING = ["Enter", "Escape", "Tab", "Control+z", "paper", "other"]


class AtFurniture:
    """A part of the class `Monkey`."""

    # The mouse and the finger

    def press(self, element):
        """Presses the centre of an element by mouse or finger. Returns False if it isn't visible. A notice that lies over
        it is dismissed first."""
        if not element.is_visible():
            return False
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        look = ("(element, [x, y]) => { const top = () => document.elementFromPoint(x, y);"
                "for (let notice; (notice = top()?.closest('.notice'));) notice.querySelector('[title=Dismiss]').click();"
                "return element.contains(top()) || top()?.contains(element) ? '' : top()?.outerHTML.slice(0, 200) }")
        over = element.evaluate(look, middle)
        self.must(over == "", f"{over} lies over {element}")
        self.person.touch.tap(*middle) if self.phone else self.page.mouse.click(*middle)
        return True

    def unchanged(self, what):
        board = self.look()
        if self.alone:
            self.must(board == self.board, f"{what} changed the drawing")

    def open_panel(self, tab):
        if self.person.run("document.querySelector('.panel').hidden"):
            self.page.locator(".panel-button").evaluate("(button) => button.click()")
        self.press(self.page.locator(f"#tab-{tab}"))
        self.page.locator(f"#panel-{tab}").wait_for()

    def close_panel(self):
        if not self.person.run("document.querySelector('.panel').hidden"):
            self.page.get_by_role("button", name="Close the panel").click()

    def open_shape(self, chance):
        """Selects an unlocked shape, chosen by `chance`. Returns None if there is none."""
        return self.person.run(
            "const ids = app.live.shapes().filter(({ locked }) => !locked).map(({ id }) => id); const id = ids[value % ids.length] ?? null;"
            "app.setTool('select'); id === null ? app.selection.clear() : app.selection.set([id]); return id", chance)

    def others_are(self, before, shape, what):
        """Checks that no other shape has changed."""
        if not self.alone:
            return
        was, now = ({each["id"]: each for each in json.loads(board)} for board in (before, self.look()))
        for identifier in {*was, *now} - {shape}:
            same = was.get(identifier) and now.get(identifier) and self.but_name(was[identifier]) == self.but_name(now[identifier])
            self.must(same, f"{what} changed another shape: {was.get(identifier)} → {now.get(identifier)}")

    @staticmethod
    def but_name(shape):
        # Leaves out the shown name and the drawing order, because they also depend on other shapes.
        return {key: value for key, value in shape.items() if key not in ("name", "order")}

    # Escape

    def escape_menus(self, _, __, ___, chance):
        """Presses each button that opens something, and a row in what opens. Escape must close it again."""
        buttons = self.page.locator("button[aria-haspopup]:visible")
        for at in range(buttons.count()):
            if not self.press(buttons.nth(at)):
                continue
            opened = self.page.locator(":popover-open")
            opened.first.wait_for()
            line = opened.locator("hr:visible, h2:visible")
            if chance % 2 and line.count():
                self.press(line.first)
            self.page.keyboard.press("Escape")
            self.must(opened.count() == 0, f"Escape doesn't close {buttons.nth(at).get_attribute('aria-label')}")
        self.unchanged("menus")

    def escape_dialog(self, *_):
        self.person.run("app.actions.shortcuts.run(); return null")
        dialog = self.page.locator("dialog[open]")
        dialog.wait_for()
        self.press(dialog.locator("h2"))
        self.page.keyboard.press("Escape")
        self.person.wait_for_no_dialog()
        self.unchanged("a dialog")

    def escape_panel(self, _, __, ___, chance):
        """Escape leaves the panel. The next Escape acts on the page."""
        self.open_panel(["layers", "inspector", "overlaps"][chance % 3])
        self.page.keyboard.press("Escape")
        self.must(not self.person.run("document.querySelector('.panel').contains(document.activeElement)"), "Escape doesn't leave the panel")
        self.close_panel()
        self.unchanged("the panel")

    def escape_history(self, _, __, ___, chance):
        """Escape leaves the past, whether it is shown or still loading, and wherever the focus is."""
        if not self.open_history():
            return False
        self.person.run("const slider = document.querySelector('.history .slider'); slider.value = value;"
                        "slider.dispatchEvent(new Event('input')); return null", chance % 1000)
        if chance % 2:
            self.person.wait("app.isPast || !document.querySelector('.history:not([hidden])')", "the past")
            self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press("Escape")
        self.person.wait("!app.isPast && !document.querySelector('.history:not([hidden])')", "the present")
        self.unchanged("a look at the past")

    def escape_renaming(self, _, __, ___, chance):
        id = self.open_shape(chance)
        if id is None:
            return False
        self.open_panel("layers")
        self.person.run("document.querySelector('.layers-grid').focus(); app.selection.set([value]); return null", id)
        self.press(self.page.locator(f"#layer-{id}"))
        self.page.keyboard.press("F2")
        self.page.locator(".layer-field").wait_for()
        self.page.keyboard.insert_text("Not so")
        self.page.keyboard.press("Escape")
        self.must(not self.is_open(".layer-field"), "Escape doesn't end renaming")
        self.unchanged("a name that was given up")
        self.close_panel()

    def escape_row(self, _, __, ___, chance):
        """Escape ends the drag of a row."""
        self.open_panel("layers")
        # The mouse can drag a row anywhere, a finger only by its grip.
        grips = self.page.locator(".layer-grip" if self.phone else ".layer-name")
        if grips.count() < 2:
            self.close_panel()
            return False
        grip = grips.nth(chance % grips.count())
        grip.scroll_into_view_if_needed()
        box = grip.bounding_box()
        start = (box["x"] + 4, box["y"] + box["height"] / 2)
        end = (start[0], start[1] + (1 if chance % 2 else -1) * 90)
        hand = self.person.touch if self.phone else self.person
        hand.drag(start, end, hold=True)
        self.page.keyboard.press("Escape")
        self.person.touch.end() if self.phone else self.page.mouse.up()
        self.unchanged("Escape in the middle of dragging a row")
        self.tidy_rows()
        self.close_panel()

    def escape_slider(self, _, __, ___, chance):
        """A change by an arrow key is kept, and Escape leaves the slider."""
        slider = self.in_inspector(chance, "input[type=range]:visible:enabled")
        if not slider:
            return False
        slider.focus()
        self.page.keyboard.press(["ArrowLeft", "ArrowRight"][chance % 2])
        self.page.keyboard.press("Escape")
        self.must(not slider.evaluate("(slider) => slider === document.activeElement"), "Escape doesn't leave a slider")
        self.close_panel()

    def escape_colour(self, _, __, ___, chance):
        field = self.in_inspector(chance, ".color input.field:visible:enabled")
        if not field:
            return False
        self.press(field)
        field.fill("#123")
        self.page.keyboard.press("Escape")
        self.must(not field.evaluate("(field) => field === document.activeElement"), "Escape doesn't leave a colour")
        self.unchanged("a colour that was given up")
        self.close_panel()

    def escape_writing(self, _, __, ___, chance):
        """Escape ends editing, and the typed words are kept."""
        id = self.person.run("app.live.shapes().find(({ kind, locked }) => !locked && !['ink', 'line'].includes(kind))?.id ?? null")
        if id is None:
            return False
        self.person.run("app.setTool('select'); app.writing.open(value); return null", id)
        self.must(self.person.run("app.writing.isOpen"), "nothing can be written")
        self.type(chance)
        self.page.keyboard.press("Escape")
        self.must(not self.person.run("app.writing.isOpen"), "Escape doesn't end a text")

    def escape_tool(self, _, __, ___, chance):
        """Escape returns to the Select tool from any tool, even with a selection."""
        self.person.run("document.activeElement.blur(); app.actions.selectAll.run(); app.setTool(value); return null",
                        ["pen", "rectangle", "text", "eraser", "arrow"][chance % 5])
        for _ in range(2):
            self.page.keyboard.press("Escape")
        state = self.person.run("return { tool: app.tool.name ?? app.tool, selected: app.selection.size }")
        self.must(state == {"tool": "select", "selected": 0}, f"Escape doesn't come back to Select: {state}")
        self.unchanged("Escape")

    # Fields, rows and buttons

    def in_inspector(self, chance, selector):
        """A field of one shape that can be edited, or None."""
        if self.open_shape(chance) is None:
            return None
        self.open_panel("inspector")
        # Not every kind of shape has every field, so this tries up to four shapes.
        for at in range(4):
            self.open_shape(chance + at)
            self.page.locator(".inspector-form").wait_for()
            self.person.see(frames=2)
            fields = self.page.locator(f".inspector-form {selector.replace(', ', ', .inspector-form ')}")
            if fields.count():
                return fields.nth(chance // 7 % fields.count())
        self.close_panel()
        return None

    def field(self, place, _, __, chance):
        """Types, steps or chooses in a field, and leaves it somehow. Only its own shape may change."""
        field = self.in_inspector(chance, "input:visible:enabled, select:visible:enabled")
        if not field:
            return False
        shape, before = self.person.run("app.selection.ids()[0]"), self.board
        kind = field.evaluate("(field) => field.matches('select') ? 'select' : field.type")
        if kind == "color":
            field.fill(["#ff0000", "#00ff00"][chance % 2])
        else:
            # The press itself can check a box or move a slider. That is an undo step of its own.
            self.press(field)
            self.step()
            if kind == "select":
                field.select_option(index=1 + chance % 2)
            elif kind == "range":
                self.page.keyboard.press("ArrowLeft")
            elif kind == "text":
                field.fill(["37", "#00AA11", "Ann’s", "1e9", "-5", "0x10"][chance % 6])
        self.leave_field(LEAVING[chance // 5 % len(LEAVING)], shape, place)
        self.others_are(before, shape, f"a field ({kind})")
        self.close_panel()

    def leave_field(self, way, shape, place):
        if way == "paper":
            # The press is only meant to take the focus from the field, so it needs a place without shapes and panels.
            free = self.person.run("const { x, y } = app.view.toCanvas({ x: value[0], y: value[1] });"
                                   "return app.live.shapesAt(x, y).length === 0 && document.elementFromPoint(...value)?.id === 'stage'", place)
            if free:
                return self.person.touch.tap(*place) if self.phone else self.page.mouse.click(*place)
            way = "other"
        if way == "other":
            return self.person.run(
                "app.selection.set(app.live.drawingOrder().filter((id) => id !== value).slice(0, 1)); return null", shape)
        if way != "Control+z":
            return self.page.keyboard.press(way)
        # In a field with unsaved text, Control+Z would undo only the typing. So Enter saves the text first.
        self.page.keyboard.press("Enter")
        self.step()
        wanted = self.done[-1] if self.done else self.board
        self.page.keyboard.press("Control+z")
        self.page.keyboard.press("Escape")
        board = self.look()
        if self.alone and board != self.board:
            self.must(board == wanted, "Control+Z in a field brings back something else")
            self.undone.append(self.board)
            self.done.pop()
            self.board = board

    def rows(self, _, __, ___, chance):
        """Drags rows by their grips, swipes them, hides and locks them, sometimes with a second finger."""
        self.open_panel("layers")
        rows = self.page.locator(".layer")
        if rows.count() < 2:
            self.close_panel()
            return False
        row = rows.nth(chance % rows.count())
        row.scroll_into_view_if_needed()
        box = row.bounding_box()
        grip, middle = (box["x"] + box["width"] - 12, box["y"] + box["height"] / 2), (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        hand = self.person.touch if self.phone else self.person
        match chance // 11 % 5:
            case 0: hand.drag(grip, (grip[0], grip[1] - 70))
            case 1: hand.drag(middle, (middle[0] - box["width"] * 0.45, middle[1]))
            case 2 if self.phone:
                # A second finger touches another row while the first one drags.
                other = (middle[0], middle[1] + box["height"] * (1 if chance % 2 else -1))
                self.person.touch.drag(middle, (middle[0] - 60, middle[1]), hold=True)
                self.person.touch.start((middle[0] - 60, middle[1]), other)
                self.person.touch.end(other)
                self.person.touch.end()
            case 3: self.press(row.get_by_role("button").first)
            case _: self.press(row.get_by_role("button").nth(1))
        self.tidy_rows()
        self.close_panel()

    def tidy_rows(self):
        """Checks that no row still looks as if it were being dragged."""
        left = self.page.locator(".layer.dragged, .layer.swiped, .layer.goes, .layers-marker:visible").count()
        self.must(left == 0, "a row looks as if it were held")

    def pinch_furniture(self, _, __, ___, chance):
        """Pinching outside of the canvas must never zoom the page."""
        self.open_panel(["layers", "inspector", "overlaps"][chance % 3])
        self.pinch_parts([".panel"])
        self.close_panel()
        self.person.run("app.actions.shortcuts.run(); return null")
        self.page.locator("dialog[open]").wait_for()
        self.pinch_parts(["dialog[open]"])
        self.page.keyboard.press("Escape")
        self.person.wait_for_no_dialog()
        if self.open_history():
            self.pinch_parts([".history"])
            self.close_history()
        self.pinch_parts([".bar-left", ".bar-right", ".toolbar", "#hole"])

    def pinch_parts(self, selectors):
        for selector in selectors:
            part = self.page.locator(selector).first
            if not part.is_visible():
                continue
            box = part.bounding_box()
            self.person.touch.pinch((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), 8, 40, steps=4)
            self.must(self.page.evaluate("visualViewport.scale") == 1, f"the page is zoomed by a pinch on {selector}")
            self.rest_from_pinch(selector)

    def rest_from_pinch(self, selector):
        """Closes what a pinch's fingers have opened, and records what they have changed as a step."""
        if selector in (".panel", "dialog[open]", ".history"):
            return
        self.rest()
        self.step()

    def toolbar(self, _, __, ___, chance):
        """Presses a visible button, except those that ask a question or leave the room."""
        buttons = self.page.locator(".toolbar button:visible:not([aria-haspopup]):not([data-action=undo]):not([data-action=redo])")
        return self.press(buttons.nth(chance % buttons.count()))
