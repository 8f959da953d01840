"""Draws samples as an SVG with one strip for each kind of measurement, over the same time."""

import html

WIDTH, STRIP, LEFT, RIGHT, TOP, GAP = 860, 92, 64, 150, 46, 30

# The strips of the plot: title, unit, and lines as (column, name, colour).
STRIPS = [
    ("memory of the server", "MiB", [("memory_mib", "resident", "#2E5E8C"), ("anonymous_mib", "of it anonymous", "#7FB0D9")]),
    ("people and shapes", "", [("connections", "connections", "#2E5E8C"), ("shapes_open", "shapes", "#A9A9A9")]),
    ("open rooms, descriptors beside connections, threads", "", [
        ("rooms_open", "rooms", "#A9A9A9"), ("others", "descriptors", "#2E5E8C"), ("threads", "threads", "#C2692B"),
    ]),
    ("operations", "a second", [("operations", "taken in", "#2E5E8C"), ("commits", "commits", "#C2692B")]),
    ("latency, median of ten seconds", "ms", [("ack_p50", "to the answer", "#2E5E8C"), ("seen_p50", "to another's sight", "#C2692B"), ("ping_p50", "ping", "#A9A9A9")]),
    ("latency, slowest of ten seconds", "ms", [("seen_max", "to another's sight", "#C2692B"), ("machine_max", "the disk alone", "#A9A9A9")]),
    ("files", "MiB", [("database_mib", "database", "#2E5E8C"), ("wal_mib", "write-ahead log", "#C2692B")]),
    ("processors", "of one", [("server_cpu", "server", "#2E5E8C"), ("bots_cpu", "all bots", "#A9A9A9")]),
]


def draw(rows, path, title):
    height = TOP + len(STRIPS) * (STRIP + GAP) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(LEFT, 20, title, size=14, weight=600),
    ]
    end = rows[-1]["second"]
    for place, strip in enumerate(STRIPS):
        parts += draw_strip(rows, end, TOP + place * (STRIP + GAP), *strip)
    bottom = TOP + len(STRIPS) * (STRIP + GAP) - GAP + 14
    step = next(step for step in (1, 2, 5, 10, 15, 30, 60, 120, 240, 720) if end / 60 / step <= 12)
    for minute in range(0, int(end / 60) + 1, step):
        parts.append(text(across(minute * 60, end), bottom, f"{minute} min", anchor="middle"))
    parts.append("</svg>\n")
    with open(path, "w") as file:
        file.write("\n".join(parts))


def across(second, end):
    return LEFT + (WIDTH - LEFT - RIGHT) * second / end


def draw_strip(rows, end, top, title, unit, lines):
    top_value = nice(max(row[column] for row in rows for column, _, _ in lines))
    right = WIDTH - RIGHT
    yield text(LEFT, top - 5, f"{title}, {unit}" if unit else title, weight=600)
    for part in (0, 0.5, 1):
        y = top + STRIP * (1 - part)
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>'
        yield text(LEFT - 6, y + 4, f"{top_value * part:g}", anchor="end")
    for place, (column, name, color) in enumerate(lines):
        points = " ".join(f"{across(row['second'], end):.1f},{top + STRIP * (1 - row[column] / top_value):.1f}" for row in rows)
        yield f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.3" stroke-linejoin="round"/>'
        y = top + 12 + place * 24
        words = f"median {sorted(row[column] for row in rows)[len(rows) // 2]:.3g}"
        yield f'<path d="M{right + 8} {y - 4}h12" stroke="{color}" stroke-width="2"/>'
        yield text(right + 24, y, name)
        yield text(right + 24, y + 11, words, size=9)


def nice(value):
    """The next larger round number."""
    size = 10 ** (len(f"{int(value)}") - 1) if value >= 1 else 0.1
    return next(size * factor for factor in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 100) if size * factor >= value)


def text(x, y, words, anchor="start", size=11, weight=400):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="#333">{html.escape(words)}</text>'
