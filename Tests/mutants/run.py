#!/usr/bin/env python3
"""Plants small bugs one at a time, and tells which of them no test notices.

    .venv/bin/python Tests/mutants/run.py [NUMBER…] [--jobs N] [--list]

Exit 0: every mutant dies, but for those whose list says why they survive. All mutants are in one build, and an environment
variable chooses one. The lists are beside this file, one for each target; CONTRIBUTING.md tells how to add to them.
"""

import argparse
import concurrent.futures
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time

import planting

FOLDER = os.path.join(planting.ROOT, "build", "mutants")
TREE = os.path.join(FOLDER, "tree")
BUILD = os.path.join(FOLDER, "build")
PROGRAMS = os.path.join(BUILD, "release")
TESTS = os.path.join(PROGRAMS, "CanvasSyncPackageTests.xctest")
# As scripts/steps.sh has it: these wait for sockets and disks, and run one after another.
WAITING = "WebSocketLoopTests|RoomLogTests|EndToEndTests|HeavyWorkTests"
DIES_MIN = 0.95
# A mutant that takes this many times as long as no mutant hangs.
PATIENCE = 8
PATIENCE_SECONDS_MIN = 60
PARTING_SECONDS = 10
# More, and a mutant that gathers without bound would take the machine with it.
MEMORY_BYTES_MAX = 12 << 30

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FAILED_TEST = re.compile(r'Test "?(?P<test>.+?)"? recorded an issue(?:.* at (?P<file>[\w+-]+)\.swift:\d+)?')


class Suite:
    """Tests that run together."""

    def __init__(self, words, *, is_waiting):
        self.words = words
        # Such a one may fail for want of time on a busy machine, so its failure counts only if it fails again.
        self.is_waiting = is_waiting

    @staticmethod
    def swift(*, only=None, but=None):
        is_waiting = only is not None and re.search(WAITING, only) is not None
        words = [TESTS, "--testing-library", "swift-testing"]
        if only:
            words += ["--filter", only]
        if but:
            words += ["--skip", but]
        return Suite(words + (["--no-parallel"] if is_waiting else []), is_waiting=is_waiting)

    @staticmethod
    def outside(selection):
        words = [os.path.join(planting.ROOT, ".venv", "bin", "pytest"), "-x", "-q", "-p", "no:cacheprovider"]
        return Suite([*words, *shlex.split(selection), "--build", PROGRAMS], is_waiting=True)

    @property
    def key(self):
        return tuple(self.words)


ALL = [Suite.swift(but=WAITING), Suite.swift(only=WAITING)]


def suites(mutant):
    """What is tried on a mutant, the likeliest first."""
    first = [Suite.swift(only=mutant.tests)] if mutant.tests else []
    return first + ([Suite.outside(mutant.outside)] if mutant.outside else []) + ALL


def every_suite(mutants):
    """All that is tried on any of them, once."""
    return list({suite.key: suite for mutant in mutants for suite in suites(mutant)}.values())


class Outcome:
    def __init__(self, killer, seconds):
        self.killer = killer
        self.seconds = seconds


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def verdict(suite, number, seconds_max):
    """Runs a suite until its first failure.
    - Returns: what failed; None if nothing did."""
    # Dictionaries in the same order each time, so that a mutant dies for what it does and not by chance.
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1"}
    environment.pop(planting.VARIABLE, None)
    if number:
        environment[planting.VARIABLE] = str(number)
    process = subprocess.Popen(
        suite.words, cwd=planting.ROOT, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit_resources,
    )
    is_late = threading.Event()

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def give_up():
        is_late.set()
        # Python's tests end the servers that they started, if they are asked in time.
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
            found = FAILED_TEST.search(line)
            if found:
                killer = f'{found["file"]}: {found["test"]}' if found["file"] else found["test"]
            elif line.startswith("FAILED Tests/"):
                killer = line.removeprefix("FAILED Tests/").split(" - ")[0]
            if killer:
                break
    finally:
        timer.cancel()
        # Also servers that a test of it started.
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


class Runner:
    def __init__(self):
        self.seconds = {}

    def baseline(self, suite):
        """Without a mutant, everything must pass; and it tells how long that takes."""
        start = time.monotonic()
        for attempt in range(2 if suite.is_waiting else 1):
            killer = verdict(suite, 0, 900)
            if killer is None:
                self.seconds[suite.key] = time.monotonic() - start
                return
        raise planting.Complaint(f"without any mutant a test fails: {killer}\n{shlex.join(suite.words)}")

    def seconds_max(self, suite):
        return max(PATIENCE_SECONDS_MIN, PATIENCE * self.seconds[suite.key])

    def judge(self, mutant):
        start = time.monotonic()
        for suite in suites(mutant):
            killer = verdict(suite, mutant.number, self.seconds_max(suite))
            if killer and suite.is_waiting and not killer.startswith("hung"):
                killer = verdict(suite, mutant.number, self.seconds_max(suite))
            if killer:
                return Outcome(killer, time.monotonic() - start)
        return Outcome(None, time.monotonic() - start)


def build():
    words = ["swift", "build", "-c", "release", "-Xswiftc", "-enable-testing", "--build-tests"]
    words += ["--package-path", TREE, "--scratch-path", BUILD]
    with open(os.path.join(FOLDER, "build.log"), "w", encoding="utf-8") as log:
        status = subprocess.run(words, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if status:
        with open(log.name, encoding="utf-8") as log:
            lines = log.readlines()
        sys.stdout.writelines([line for line in lines if "error:" in line][:40] or lines[-40:])
        sys.exit(f"the mutants don't build: {log.name}")


def table(rows):
    lines = ["| | what goes wrong | killed by | seconds |", "| ---: | --- | --- | ---: |"]
    for mutant, outcome in rows:
        killer = outcome.killer or ("**survives**" + (f": {mutant.survives}" if mutant.survives else ""))
        lines.append(f"| {mutant.number} | {mutant.target}: {mutant.wrong} | {killer} | {outcome.seconds:.0f} |")
    return "\n".join(lines).replace("\\|", "|") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="only these")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at a time; two")
    parser.add_argument("--list", action="store_true", help="print the mutants, and check that their lines are there")
    options = parser.parse_args()
    try:
        mutants = planting.read_lists()
        planting.planted(mutants)
        chosen = [mutant for mutant in mutants if not options.numbers or mutant.number in options.numbers]
        if options.list:
            for mutant in chosen:
                print(f"{mutant.number:4}  {mutant.target}/{mutant.file}: {mutant.wrong}")
            return
        os.makedirs(FOLDER, exist_ok=True)
        planting.copy(mutants, TREE)
    except planting.Complaint as complaint:
        sys.exit(f"{complaint}\nMend it in Tests/mutants.")
    start = time.monotonic()
    build()
    print(f"{len(mutants)} mutants planted and built in {time.monotonic() - start:.0f} s", flush=True)

    runner = Runner()
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            list(pool.map(runner.baseline, every_suite(chosen)))
        except planting.Complaint as complaint:
            sys.exit(str(complaint))
        print(f"without a mutant all tests pass, after {time.monotonic() - start:.0f} s", flush=True)
        waiting = {pool.submit(runner.judge, mutant): mutant for mutant in chosen}
        for future in concurrent.futures.as_completed(waiting):
            mutant, outcome = waiting[future], future.result()
            outcomes[mutant.number] = outcome
            print(f"{mutant.number:4} {outcome.seconds:5.0f} s  {outcome.killer or 'SURVIVES: ' + mutant.wrong}", flush=True)
    rows = [(mutant, outcomes[mutant.number]) for mutant in chosen]
    results = os.path.join(FOLDER, "results.md")
    with open(results, "w", encoding="utf-8") as file:
        file.write(table(rows))

    alive = [mutant for mutant, outcome in rows if not outcome.killer]
    wrongly_excused = [mutant for mutant, outcome in rows if outcome.killer and mutant.survives]
    hung = sum(1 for _, outcome in rows if outcome.killer and outcome.killer.startswith("hung"))
    print(f"\n{open(results, encoding='utf-8').read()}")
    for mutant in wrongly_excused:
        print(f"{mutant}: the list says that it survives, and it dies")
    unexplained = [mutant for mutant in alive if not mutant.survives]
    print(
        f"{len(rows) - len(alive)} of {len(rows)} mutants die, {hung} of them by hanging; {len(alive)} survive, "
        f"{len(unexplained)} of them without a reason in the list; {time.monotonic() - start:.0f} s"
    )
    if unexplained or wrongly_excused or len(rows) - len(alive) < DIES_MIN * len(rows) and not options.numbers:
        sys.exit(1)


if __name__ == "__main__":
    main()
