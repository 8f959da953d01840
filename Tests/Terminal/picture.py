"""Takes a screenshot of the terminal client: `picture.py PATH_OF_SYNCSERVER PATH_OF_CLIENT FILE.png`. See `make screenshots`.

A real server has the board of the page's screenshots and real bots, and the client runs in tmux. A browser paints the
content of tmux's screen cell by cell.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parent / "EndToEnd"), str(here.parent / "Page")]

from playwright.sync_api import sync_playwright  # noqa: E402

import server  # noqa: E402
from boards import BOARD  # noqa: E402
from terminals import Tmux, environment  # noqa: E402
from waiting import wait_until  # noqa: E402

COLUMNS, ROWS = 112, 32
# Each cell takes whole pixels, so that no seam shows between cells.
WIDTH, HEIGHT = 10, 20
BASIC = ["#000", "#c33", "#3a3", "#b80", "#36c", "#a3a", "#299", "#ccc", "#666", "#f66", "#6d6", "#fd6", "#69f", "#f6f", "#6dd", "#fff"]


def operations():
    """The board as lines for `pipe`. Shapes come before the arrows that are tied to them."""
    made = {}
    for name, kind, position, size, values in BOARD:
        made[name] = server.identifier()
        tied = {end: [made[values[end][0]], *values[end][1:]] for end in ("from", "to") if end in values}
        yield json.dumps({"shape": made[name], "set": {"kind": kind, "name": name, "position": position, "size": size, **values, **tied}})


def styles(codes, style):
    """Applies an SGR escape sequence to a style: foreground, background, bold, underlined, reversed."""
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code in (38, 48):
            key = "color" if code == 38 else "background"
            if codes.pop(0) == 2:
                style = {**style, key: "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))}
            else:
                style = {**style, key: BASIC[codes.pop(0) % 16]}
        elif code in (39, 49):
            style = {key: value for key, value in style.items() if key != ("color" if code == 39 else "background")}
        elif 30 <= code < 38 or 90 <= code < 98:
            style = {**style, "color": BASIC[code - 30 if code < 38 else code - 82]}
        elif 40 <= code < 48:
            style = {**style, "background": BASIC[code - 40]}
        elif code in (1, 4, 7):
            style = {**style, {1: "bold", 4: "line", 7: "reverse"}[code]: True}
        elif code in (22, 24, 27):
            style = {key: value for key, value in style.items() if key != {22: "bold", 24: "line", 27: "reverse"}[code]}
    return style


def cells(screen):
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        style, column = {}, 0
        for codes, character in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b])", line):
            if not character:
                style = styles(codes, style)
                continue
            front, back = style.get("color", "#e6e4df"), style.get("background", "#1b1b1a")
            if style.get("reverse"):
                front, back = back, front
            weight = ";font-weight:bold" if style.get("bold") else ""
            yield f'<i style="left:{column * WIDTH}px;top:{row * HEIGHT}px;color:{front};background:{back}{weight}">{html.escape(character)}</i>'
            column += 1


def page(screen):
    return f"""<meta charset=utf-8><style>
body {{ margin: 0; background: #1b1b1a }}
main {{ position: relative; width: {COLUMNS * WIDTH}px; height: {ROWS * HEIGHT}px; margin: 12px; font: 16.6px/{HEIGHT}px "DejaVu Sans Mono" }}
i {{ position: absolute; width: {WIDTH}px; height: {HEIGHT}px; overflow: hidden; font-style: normal; white-space: pre }}
</style><main>{"".join(cells(screen))}</main>"""


def main():
    server.BINARY, client, target = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as home, server.Server() as garden:
        reach = ["--server", f"ws://127.0.0.1:{garden.port}"]
        variables = environment(HOME=home)
        drawn = subprocess.run([client, "pipe", "garden", *reach], input="\n".join(operations()), text=True, env=variables, capture_output=True)
        if drawn.returncode:
            raise SystemExit(drawn.stdout + drawn.stderr)
        with Tmux([client, "join", "garden", *reach, "--name", "Ann"], COLUMNS, ROWS, HOME=home) as screen:
            with Tmux([client, "join", "garden", *reach, "--name", "Bob"], COLUMNS, ROWS, HOME=home) as other:
                for each in (screen, other):
                    each.shows("Harvest!")
                for each, shape in ((other, "Beds"), (screen, "Harvest")):
                    names = [form[0] for form in BOARD]
                    each.keys(*["Tab"] * (names.index(shape) + 1))
                wait_until(lambda: screen.text().count("Bob") > 1, screen.text)
                shown = screen.colors()
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium-headless-shell"))
        sheet = browser.new_page(device_scale_factor=1)
        sheet.set_content(page(shown))
        box = sheet.locator("main").bounding_box()
        sheet.set_viewport_size({"width": round(box["width"]) + 24, "height": round(box["height"]) + 24})
        sheet.screenshot(path=target)
        browser.close()
    print(f"{target}: {os.path.getsize(target) // 1000} KB")


main()
