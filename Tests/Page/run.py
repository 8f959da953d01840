"""Tries the page in Debian's Chromium against a real server: `run.py PATH_OF_SYNCSERVER [NAME…]`.

Every `test_*.py` beside this file is a module of tests; every function `test_…` of it is a test. It is handed what its parameters
ask for: `room` is a fresh room on the server that all share, `world` the browser and the means to start servers of its own.
With `--headed` the browser is seen.
"""

import importlib
import inspect
import os
import sys
import time
import traceback
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "EndToEnd"))

import server  # noqa: E402
from world import World  # noqa: E402


def tests(wanted):
    for path in sorted(here.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        found = [
            function
            for name, function in inspect.getmembers(module, inspect.isfunction)
            if name.startswith("test_") and function.__module__ == module.__name__
        ]
        found.sort(key=lambda function: function.__code__.co_firstlineno)
        chosen = [function for function in found if not wanted or any(word in f"{path.stem} {function.__name__}" for word in wanted)]
        if chosen:
            yield path.stem, chosen


def attempt(world, function):
    names = inspect.signature(function).parameters
    with world.test(function.__name__) as test:
        function(**{name: test.room if name == "room" else world for name in names})


def main():
    options = [argument for argument in sys.argv[2:] if argument.startswith("--")]
    wanted = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    server.BINARY = os.path.abspath(sys.argv[1])
    passed, failed = 0, []
    with World(headed="--headed" in options) as world:
        for module, functions in tests(wanted):
            began = time.monotonic()
            slowest = (0, "")
            for function in functions:
                start = time.monotonic()
                try:
                    attempt(world, function)
                    passed += 1
                except Exception:
                    failed.append(f"{module} {function.__name__}")
                    print(f"error: {function.__name__}: {inspect.getdoc(function)}")
                    traceback.print_exc(file=sys.stdout)
                    sys.stdout.flush()
                slowest = max(slowest, (time.monotonic() - start, function.__name__))
            seconds = time.monotonic() - began
            print(f"{module}: {len(functions)} in {seconds:.1f} s, {slowest[1]} took {slowest[0]:.1f}", flush=True)
        if world.server.process.poll() is not None:
            failed.append(f"the server ended with {world.server.process.returncode}: {world.server.lines[-3:]}")
    for name in failed:
        print(f"error: {name}")
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
