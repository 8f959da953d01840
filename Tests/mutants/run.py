#!/usr/bin/env python3
"""Plants small bugs (mutants) one at a time, and reports those that no test notices.

    .venv/bin/python Tests/mutants/run.py [NUMBER…] [--jobs N] [--anew] [--programs FOLDER] [--list]

Exit code 0: every mutant is noticed, except for those whose list says why not. All mutants of native code are in one
build, where an environment variable selects one. Those of the page and of core.wasm are planted one at a time in
copies. The lists are next to this file, one for each target. CONTRIBUTING.md says how to add to them.

Results are stored in build/mutants/results.jsonl as they come. An interrupted run continues there if the tree is
unchanged.
"""

import argparse
import concurrent.futures
import os
import queue
import subprocess
import sys
import threading
import time

import planting
from record import Record
from suites import BUILD, FOLDER, TREE, Company, Programs, suites, verdict

DIES_MIN = 0.95
# A mutant that takes this many times as long as the unchanged code counts as hanging.
PATIENCE = 8
PATIENCE_SECONDS_MIN = 60
BASELINE_SECONDS_MAX = 1_800


class Runner:
    def __init__(self, record, jobs):
        self.record, self.company = record, Company()
        self.measuring = threading.Lock()
        # One copy of the page for each mutant that is tested at the same time, and one copy without a mutant.
        self.pages, self.page = queue.SimpleQueue(), os.path.join(FOLDER, "page")
        for number in range(jobs):
            self.pages.put(os.path.join(FOLDER, f"page-{number}"))

    def attempt(self, suite, mutant, folder, seconds_max):
        """Runs a suite on a mutant. If a suite may have failed only because other suites slowed it down, it has to fail
        alone too."""
        number = mutant.number if mutant and not mutant.is_alone else 0
        with self.company.beside_others():
            killer = verdict(suite, number, seconds_max, folder)
        if killer and (suite.is_waiting or killer.startswith("hung")):
            with self.company.alone():
                killer = verdict(suite, number, seconds_max, folder)
        return killer

    def seconds_max(self, suite):
        """How long a suite may take. It is first run without a mutant, which it must pass."""
        with self.measuring:
            if suite.key not in self.record.seconds:
                if suite.is_page:
                    planting.copy_page(None, self.page)
                start = time.monotonic()
                killer = self.attempt(suite, None, self.page if suite.is_page else planting.ROOT, BASELINE_SECONDS_MAX)
                if killer:
                    raise planting.Complaint(f"without any mutant a test fails: {killer}\n{suite.key}")
                self.record.passes(suite.key, time.monotonic() - start)
        return max(PATIENCE_SECONDS_MIN, PATIENCE * self.record.seconds[suite.key])

    def judge(self, mutant):
        start = time.monotonic()
        page = self.pages.get() if mutant.is_alone else None
        try:
            if page:
                planting.copy_page(mutant, page)
            killer = None
            for suite in suites(mutant):
                killer = self.attempt(suite, mutant, page or planting.ROOT, self.seconds_max(suite))
                if killer:
                    break
        finally:
            if page:
                self.pages.put(page)
        self.record.judged(mutant.number, killer, time.monotonic() - start)


def build(mutants):
    planting.copy(mutants, TREE)
    words = ["swift", "build", "-c", "release", "-Xswiftc", "-enable-testing", "--build-tests"]
    words += ["--package-path", TREE, "--scratch-path", BUILD]
    with open(os.path.join(FOLDER, "build.log"), "w", encoding="utf-8") as log:
        status = subprocess.run(words, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if status:
        with open(log.name, encoding="utf-8") as log:
            lines = log.readlines()
        sys.stdout.writelines([line for line in lines if "error:" in line][:40] or lines[-40:])
        sys.exit(f"the mutants don't build: {log.name}")


def told(mutant, killer, seconds):
    return f"{mutant.number:4} {seconds:5.0f} s  {killer or 'SURVIVES: ' + mutant.wrong}"


def table(rows):
    lines = ["| | what goes wrong | killed by | seconds |", "| ---: | --- | --- | ---: |"]
    for mutant, killer, seconds in rows:
        killer = killer or "**survives**" + (f": {mutant.survives}" if mutant.survives else "")
        lines.append(f"| {mutant.number} | {mutant.target}: {mutant.wrong} | {killer} | {seconds:.0f} |")
    return "\n".join(lines).replace("\\|", "|") + "\n"


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="only these")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at a time; two")
    parser.add_argument("--anew", action="store_true", help="forget what an earlier run has found")
    parser.add_argument("--programs", metavar="FOLDER", default=os.path.join(planting.ROOT, ".build", "test", "release"),
                        help="the server for mutants of the page, where no others are chosen; .build/test/release")
    parser.add_argument("--list", action="store_true", help="print the mutants, and check that their lines are there")
    return parser.parse_args()


def chosen_of(given):
    """The requested mutants, and all mutants that are built into the native code."""
    mutants = planting.read_lists()
    planting.planted(mutants)
    chosen = [mutant for mutant in mutants if not given.numbers or mutant.number in given.numbers]
    return chosen, [mutant for mutant in mutants if not mutant.is_alone]


def main():
    given = options()
    try:
        chosen, native = chosen_of(given)
    except planting.Complaint as complaint:
        sys.exit(f"{complaint}\nMend it in Tests/mutants.")
    if given.list:
        for mutant in chosen:
            print(f"{mutant.number:4}  {mutant.target}/{mutant.file}: {mutant.wrong}")
        return
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, "results.jsonl")
    if given.anew and os.path.exists(path):
        os.remove(path)
    record = Record(path, planting.fingerprint())
    start = time.monotonic()
    if all(mutant.is_alone for mutant in chosen):
        Programs.folder = os.path.abspath(given.programs)
    else:
        build(native)
        print(f"{len(native)} mutants planted and built in {time.monotonic() - start:.0f} s", flush=True)
    known = [mutant for mutant in chosen if mutant.number in record.outcomes]
    if known:
        print(f"{len(known)} are known from an earlier run; --anew forgets them", flush=True)

    runner = Runner(record, given.jobs)
    left = [mutant for mutant in chosen if mutant not in known]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        try:
            judging = {pool.submit(runner.judge, mutant): mutant for mutant in left}
            for future in concurrent.futures.as_completed(judging):
                future.result()
                mutant = judging[future]
                print(told(mutant, *record.outcomes[mutant.number]), flush=True)
        except planting.Complaint as complaint:
            pool.shutdown(wait=False, cancel_futures=True)
            sys.exit(str(complaint))
    summary(chosen, record, bool(given.numbers))


def summary(chosen, record, is_part):
    rows = [(mutant, *record.outcomes[mutant.number]) for mutant in chosen]
    results = os.path.join(FOLDER, "results.md")
    with open(results, "w", encoding="utf-8") as file:
        file.write(table(rows))
    print(f"\n{table(rows)}")
    alive = [mutant for mutant, killer, _ in rows if not killer]
    wrongly_excused = [mutant for mutant, killer, _ in rows if killer and mutant.survives]
    unexplained = [mutant for mutant in alive if not mutant.survives]
    hung = sum(1 for _, killer, _ in rows if killer and killer.startswith("hung"))
    for mutant in wrongly_excused:
        print(f"{mutant}: the list says that it survives, and it dies")
    print(
        f"{len(rows) - len(alive)} of {len(rows)} mutants die, {hung} of them by hanging; {len(alive)} survive, "
        f"{len(unexplained)} of them without a reason in the list")
    if unexplained or wrongly_excused or len(rows) - len(alive) < DIES_MIN * len(rows) and not is_part:
        sys.exit(1)


if __name__ == "__main__":
    main()
