"""Prints a table of how much of each folder the tests run. Swift is counted by llvm-cov in lines and regions, and the
page's scripts by V8, in the lines that esbuild makes of them: without types and comments.

    scripts/coverage_table.py SUMMARY.json FOLDER [PART]     FOLDER has V8's files; PART adds a line for each of its files
"""

import collections
import glob
import json
import os
import sys

MODULES = "build/modules"


def swift(path):
    """For each Swift source, `(file, {lines, regions})`."""
    with open(path, encoding="utf-8") as file:
        for one in json.load(file)["data"][0]["files"]:
            name = os.path.relpath(one["filename"])
            if name.startswith("Sources/"):
                yield name, {kind: (one["summary"][kind]["covered"], one["summary"][kind]["count"]) for kind in ("lines", "regions")}


def source_of(url):
    """The module that a script is. node names the script by its path, and a browser by its URL."""
    path = url.split("://", 1)[-1].split("?")[0]
    inside = path.split("/modules/", 1)[1] if "/modules/" in path else path.partition("/")[2]
    name = os.path.join(MODULES, inside)
    return name if name.endswith(".js") and os.path.isfile(name) else None


def counted(functions, length):
    """For each character, whether it has run. An inner range takes precedence over the ranges around it."""
    ran = bytearray(b"\1" * length)
    for one in sorted((range for function in functions for range in function["ranges"]), key=lambda range: (range["startOffset"], -range["endOffset"])):
        start, end = one["startOffset"], min(one["endOffset"], length)
        ran[start:end] = (b"\1" if one["count"] else b"\0") * (end - start)
    return ran


def page(folder):
    """For each script, `(file, {lines})`. A line has run if its first character has run in any process."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.json")):
        try:
            with open(path, encoding="utf-8") as file:
                scripts = json.load(file)["result"]
        except (ValueError, KeyError):
            # The process was killed while it wrote this file.
            continue
        for script in scripts:
            name = source_of(script["url"])
            if name:
                with open(name, encoding="utf-8") as file:
                    text = file.read()
                ran = counted(script["functions"], len(text))
                before = found.setdefault(name, bytearray(len(text)))
                found[name] = bytearray(one | other for one, other in zip(before, ran))
    for name in sorted(glob.glob(f"{MODULES}/**/*.js", recursive=True)):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        ran, place, covered, count = found.get(name, bytearray(len(text))), 0, 0, 0
        for line in text.splitlines(keepends=True):
            words = line.strip()
            if words:
                count += 1
                covered += ran[place + line.index(words[0])]
            place += len(line)
        yield name.replace(MODULES, "web").replace(".js", ".ts"), {"lines": (covered, count)}


def share(counts):
    covered, count = counts
    return f"{covered / count:.1%}" if count else "–"


def main(summary, folder, part=""):
    rows = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for name, kinds in [*swift(summary), *page(folder)]:
        row = name if part else os.path.dirname(name)
        if part and f"/{part}/" not in f"/{name}":
            continue
        for kind, counts in kinds.items():
            rows[row][kind] = [one + other for one, other in zip(rows[row][kind], counts)]
    print(f"\n| {'file' if part else 'folder'} | lines | run | regions | run |\n| --- | ---: | ---: | ---: | ---: |")
    for row, kinds in sorted(rows.items()):
        lines, regions = kinds["lines"], kinds["regions"]
        print(f"| `{row}` | {lines[1]:,} | {share(lines)} | {regions[1]:,} | {share(regions)} |" if regions[1] else
              f"| `{row}` | {lines[1]:,} | {share(lines)} | | |")


main(*sys.argv[1:])
