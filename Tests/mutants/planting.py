"""Reads the lists of mutants (small planted bugs), and plants them in copies of the tree. Mutants of native code are
all in one build, and a variable selects one at run time. Mutants of the page are planted one at a time, because
bundling takes a second and a browser has no such variable."""

import dataclasses
import hashlib
import os
import shutil
import subprocess
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The files that the Swift package's build and tests read.
COPIED = ["Package.swift", "Sources", "Tests", "docs"]
# The files that the page and its tests read.
PAGE_COPIED = ["Sources", "Tests", "docs", "pytest.ini", "scripts", "tsconfig.json", "web"]
# The targets whose mutants are planted one at a time.
ALONE = {"web": "web", "CanvasWasm": "Sources/CanvasWasm"}
# The name doesn't begin with CANVAS_, because the programs report unknown variables with that prefix.
VARIABLE = "MUTANT"

GATE = f"""\
// Written by Tests/mutants: which of the planted mutants this process has.
import Glibc

private let planted = getenv("{VARIABLE}").flatMap {{ Int32(String(cString: $0)) }} ?? 0

@inline(never) @usableFromInline
func mutant(_ number: Int32) -> Bool {{ planted == number }}
"""


class Complaint(Exception):
    """A list of mutants doesn't fit the tree."""


@dataclasses.dataclass
class Mutant:
    target: str
    number: int
    file: str
    wrong: str
    line: str
    part: str | None = None
    becomes: str | None = None
    left_out: bool = False
    instead: str | None = None
    tests: str | None = None
    outside: str | None = None
    survives: str | None = None

    def __str__(self):
        return f"mutant {self.number} ({self.file})"

    @property
    def is_alone(self):
        return self.target in ALONE

    @property
    def path(self):
        return os.path.join(ALONE.get(self.target, os.path.join("Sources", self.target)), self.file)

    def edit(self, text):
        """The edit that plants a mutant, as (start, end, replacement) in the file's text."""
        found = text.count(self.line)
        if found != 1:
            raise Complaint(f"{self}: its line is found {found} times: {self.line.strip()!r}")
        is_whole = self.left_out or self.instead is not None
        part = self.line if is_whole or self.part is None else self.part
        if self.line.count(part) != 1 or not is_whole and self.becomes is None:
            raise Complaint(f"{self}: its part is not in its line exactly once, or it has no `becomes`: {part!r}")
        start = text.index(self.line) + self.line.index(part)
        return start, start + len(part), self._replacement(part)

    def _replacement(self, part):
        if self.is_alone:
            return "" if self.left_out else self.becomes if self.instead is None else self.instead
        if self.instead is not None:
            if "mutant()" not in self.instead:
                raise Complaint(f"{self}: `instead` doesn't ask mutant()")
            return self.instead.replace("mutant()", f"mutant({self.number})")
        if self.left_out:
            return f"if !mutant({self.number}) {{ {self.line} }}"
        return f"(mutant({self.number}) ? ({self.becomes}) : ({part}))"


def read_lists():
    """All mutants, in the order of their numbers."""
    mutants = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".toml"):
            continue
        with open(os.path.join(HERE, name), "rb") as file:
            content = tomllib.load(file)
        for entry in content["mutant"]:
            try:
                mutant = Mutant(target=name.removesuffix(".toml"), **entry)
            except TypeError as error:
                raise Complaint(f"{name}: mutant {entry.get('number')}: {error}") from None
            mutant.tests = mutant.tests or content.get("tests")
            mutants.append(mutant)
    mutants.sort(key=lambda mutant: mutant.number)
    for one, next_one in zip(mutants, mutants[1:]):
        if one.number == next_one.number:
            raise Complaint(f"{one} and {next_one} have the same number")
    return mutants


def planted(mutants):
    """The files that the mutants change: path below the root → new content."""
    by_path = {}
    for mutant in mutants:
        by_path.setdefault(mutant.path, []).append(mutant)
    files = {}
    for path, here in by_path.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        edits = sorted((*mutant.edit(text), mutant) for mutant in here)
        for (_, end, _, one), (start, _, _, other) in zip(edits, edits[1:]):
            if start < end:
                raise Complaint(f"{one} and {other} change the same place")
        for start, end, replacement, _ in reversed(edits):
            text = text[:start] + replacement + text[end:]
        files[path] = text
    for target in {mutant.target for mutant in mutants if not mutant.is_alone}:
        files[os.path.join("Sources", target, "PlantedMutants.swift")] = GATE
    return {path: text.encode() for path, text in files.items()}


def copied(paths):
    """The paths of all files of the tree below these paths."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    return sorted(path for path in listed if path and os.path.isfile(os.path.join(ROOT, path)))


def content(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def fingerprint():
    """A hash of the tree. Results are valid only for the same tree."""
    sum = hashlib.sha256()
    for path in copied(sorted({*COPIED, *PAGE_COPIED})):
        sum.update(path.encode() + b"\0" + content(path))
    return sum.hexdigest()


def copy(mutants, folder, paths=COPIED):
    """Makes `folder` a copy of the tree with all these mutants. Unchanged files keep their dates and the build folder
    is kept, so that little is rebuilt."""
    changed = planted(mutants)
    wanted = {*copied(paths), *changed}
    for path in sorted(wanted):
        bytes = changed.get(path) or content(path)
        place = os.path.join(folder, path)
        if os.path.isfile(place):
            with open(place, "rb") as file:
                if file.read() == bytes:
                    continue
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(bytes)
        shutil.copymode(os.path.join(ROOT, path), place) if os.path.exists(os.path.join(ROOT, path)) else None
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(base, name), folder)
            if path not in wanted and not path.startswith((".", "build/")):
                os.remove(os.path.join(base, name))


def copy_page(mutant, folder):
    """Makes `folder` a copy of the tree with this mutant of the page, or with none, and bundles the page."""
    copy([mutant] if mutant else [], folder, PAGE_COPIED)
    page = os.path.join(folder, "build", "page")
    os.makedirs(page, exist_ok=True)
    for name in ("page/core.wasm", "page/exchange.wasm", "page/core.wasm.br", "page/exchange.wasm.br", "wasm.sha256"):
        shutil.copy2(os.path.join(ROOT, "build", name), os.path.join(folder, "build", name))
    steps = ["scripts/wasm", "scripts/page"] if mutant and mutant.target == "CanvasWasm" else ["scripts/page"]
    for step in steps:
        done = subprocess.run([step], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Complaint(f"{mutant}: {step} fails:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
