"""Runs tests, for each of the folders that try the program from outside.

A module of tests is called `test_…`, and so is each test in it: a function that is handed what its parameters ask for, plain
or `async`. It says by `server.skip` that this machine lacks something.
"""

import asyncio
import importlib
import inspect
import signal
import sys
import time
import traceback

from server import Skipped


def tests(name, wanted):
    """Those of a module whose names, or the module's, contain one of the words; all where no word is given."""
    module = importlib.import_module(f"test_{name}")
    found = [
        function
        for word, function in inspect.getmembers(module, inspect.isfunction)
        if word.startswith("test_") and function.__module__ == module.__name__
    ]
    found.sort(key=lambda function: function.__code__.co_firstlineno)
    return [one for one in found if not wanted or any(word in f"{module.__name__} {one.__name__}" for word in wanted)]


def call(function, offered, seconds_max=None):
    """Calls a test with those of the things offered that its parameters name; one that is `async` may take so long."""
    arguments = {name: offered[name] for name in inspect.signature(function).parameters if name in offered}
    if not inspect.iscoroutinefunction(function):
        return function(**arguments)

    async def bounded():
        await asyncio.wait_for(function(**arguments), seconds_max)

    return asyncio.run(bounded())


def run(modules, wanted, attempt, servers=()):
    """Attempts every test of the modules, in the order in which they stand, and ends the process: with 1 where one failed, or
    where one of the servers that they share did not live through it."""
    # Whoever is run by nohup, or behind `&` in a script, ignores these, and so would all that the tests start.
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(one) == signal.SIG_IGN:
            signal.signal(one, signal.SIG_DFL)
    passed, failed, skipped = 0, [], []
    for name in modules:
        functions = tests(name, wanted)
        if not functions:
            continue
        began = time.monotonic()
        slowest = (0, "")
        for function in functions:
            start = time.monotonic()
            try:
                attempt(function)
                passed += 1
            except Skipped as reason:
                skipped.append(f"{name} {function.__name__}: {reason}")
            except Exception:
                failed.append(f"{name} {function.__name__}")
                print(f"error: {function.__name__}: {inspect.getdoc(function)}")
                traceback.print_exc(file=sys.stdout)
                sys.stdout.flush()
            slowest = max(slowest, (time.monotonic() - start, function.__name__))
        seconds = time.monotonic() - began
        print(f"{name}: {len(functions)} in {seconds:.1f} s, {slowest[1]} took {slowest[0]:.1f}", flush=True)
    for server in servers:
        if server.process.poll() is not None:
            failed.append(f"the server ended with {server.process.returncode}: {server.lines[-3:]}")
    if not passed and not failed and not skipped:
        failed.append(f"no test is called {' or '.join(wanted)}")
    for name in failed:
        print(f"error: {name}")
    for line in skipped:
        print(f"skipped: {line}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed else 0)
