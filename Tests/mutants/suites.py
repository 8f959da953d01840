"""The test suites, and how a suite's run is judged."""

import contextlib
import glob
import os
import re
import resource
import shlex
import signal
import subprocess
import threading

import planting

FOLDER = os.path.join(planting.ROOT, "build", "mutants")
TREE = os.path.join(FOLDER, "tree")
BUILD = os.path.join(FOLDER, "build")
# Tests that run one after another, because they wait for sockets and disks. scripts/steps.sh has the same list.
WAITING = "WebSocketLoopTests|RoomLogTests|EndToEndTests|HeavyWorkTests"
PARTING_SECONDS = 10
# The limit on a test's memory. Without it, a mutant that allocates without end would block the machine. It is high,
# because browsers reserve far more memory than they use.
MEMORY_BYTES_MAX = 12 << 30

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FAILED_TEST = re.compile(r'Test "?(?P<test>.+?)"? recorded an issue(?:.* at (?P<file>[\w+-]+)\.swift:\d+)?')
FAILED_IN_NODE = re.compile(r"(?:not ok \d+ - |✖ |✘ )(?P<test>.+?)(?: \([\d.]+ms\))?$")


class Programs:
    """The folder of the programs that tests start."""

    folder = os.path.join(BUILD, "release")


class Suite:
    """Tests that run together."""

    def __init__(self, words, *, is_waiting, is_page=False):
        self.words = words
        # Whether the suite mostly waits. On a busy machine such a suite may time out, so a failure counts only if the
        # suite fails again when it runs alone.
        self.is_waiting = is_waiting
        # Whether the suite runs in its own copy of the page.
        self.is_page = is_page

    @staticmethod
    def swift(*, only=None, but=None):
        is_waiting = only is not None and re.search(WAITING, only) is not None
        words = [os.path.join(BUILD, "release", "CanvasSyncPackageTests.xctest"), "--testing-library", "swift-testing"]
        if only:
            words += ["--filter", only]
        if but:
            words += ["--skip", but]
        return Suite(words + (["--no-parallel"] if is_waiting else []), is_waiting=is_waiting)

    @staticmethod
    def outside(selection, *, is_page=False):
        words = [os.path.join(planting.ROOT, ".venv", "bin", "pytest"), "-x", "-q", "-p", "no:cacheprovider"]
        return Suite([*words, *shlex.split(selection), "--build", Programs.folder], is_waiting=True, is_page=is_page)

    @staticmethod
    def node(*patterns):
        files = [os.path.relpath(path, planting.ROOT) for one in patterns for path in sorted(glob.glob(os.path.join(planting.ROOT, one)))]
        tests = ["--test"] if any(".test." in path for path in files) else []
        return Suite(["node", *tests, *files], is_waiting=False, is_page=True)

    @property
    def key(self):
        return shlex.join(self.words)


def suites(mutant):
    """The suites to try on a mutant. The one that most likely notices it comes first."""
    if mutant.is_alone:
        first = []
        if mutant.target == "CanvasWasm" or mutant.file.startswith("core/"):
            first.append(Suite.node("Tests/wasm/run.mjs"))
        if mutant.target == "web":
            first.append(Suite.node("Tests/gestures/*.test.mjs", "Tests/network/*.test.mjs"))
        selections = ([mutant.outside] if mutant.outside else []) + ["Tests/Page --numprocesses 4 --dist worksteal"]
        return first + [Suite.outside(selection, is_page=True) for selection in selections]
    first = [Suite.swift(only=mutant.tests)] if mutant.tests else []
    everything = [Suite.swift(but=WAITING), Suite.swift(only=WAITING)]
    return first + ([Suite.outside(mutant.outside)] if mutant.outside else []) + everything


class Company:
    """Lets suites run in parallel, except those that have to run alone."""

    def __init__(self):
        self._turns, self._running, self._wants = threading.Condition(), 0, 0

    def beside_others(self):
        return self._running_once(lambda: self._wants == 0)

    @contextlib.contextmanager
    def alone(self):
        with self._turns:
            self._wants += 1
        try:
            with self._running_once(lambda: self._running == 0):
                yield
        finally:
            with self._turns:
                self._wants -= 1
                self._turns.notify_all()

    @contextlib.contextmanager
    def _running_once(self, may_run):
        with self._turns:
            self._turns.wait_for(may_run)
            self._running += 1
        try:
            yield
        finally:
            with self._turns:
                self._running -= 1
                self._turns.notify_all()


def limit_resources(is_page):
    if not is_page:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def name_of_failure(line):
    if found := FAILED_TEST.search(line):
        return f'{found["file"]}: {found["test"]}' if found["file"] else found["test"]
    if line.startswith("FAILED Tests/"):
        return line.removeprefix("FAILED Tests/").split(" - ")[0]
    found = FAILED_IN_NODE.match(line)
    return found["test"] if found else None


def verdict(suite, number, seconds_max, folder=planting.ROOT):
    """Runs a suite until its first failure.
    - Returns: the failure, or None."""
    # With deterministic hashing, dictionaries always have the same order. Otherwise a test might fail because of the
    # order, and not because of the mutant.
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1"}
    environment.pop(planting.VARIABLE, None)
    if number:
        environment[planting.VARIABLE] = str(number)
    process = subprocess.Popen(
        suite.words, cwd=folder, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: limit_resources(suite.is_page),
    )
    is_late = threading.Event()

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def give_up():
        is_late.set()
        # The process is interrupted and not killed, because Python's tests then stop the servers that they have
        # started.
        os.kill(process.pid, signal.SIGINT)
        patience = threading.Timer(PARTING_SECONDS, end)
        patience.daemon = True
        patience.start()

    timer = threading.Timer(seconds_max, give_up)
    timer.start()
    last = ""
    killer = None
    try:
        for line in process.stdout:
            line = COLOURS.sub("", line).strip()
            last = line or last
            killer = name_of_failure(line)
            if killer:
                break
    finally:
        timer.cancel()
        # Ends the whole process group, which includes servers that a test has started.
        end()
        process.stdout.close()
        status = process.wait()
    if killer:
        return killer
    if is_late.is_set():
        return f"hung: {last[:80]}"
    if status < 0:
        return f"crashed by signal {-status}: {last[:80]}"
    return f"failed: {last[:80]}" if status else None
