"""Runs the terminal client against a server: `run.py PATH_OF_SYNCSERVER PATH_OF_SYNC_CLIENT [NAME…]`."""

import asyncio
import importlib
import inspect
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "EndToEnd"))

import server  # noqa: E402
import terminal  # noqa: E402

MODULES = ["commands", "editing", "watching", "exchanging", "piping", "bots", "documents"]
SECONDS_MAX = 120


async def attempt(function, shared):
    arguments = [shared] if inspect.signature(function).parameters else []
    await asyncio.wait_for(function(*arguments), SECONDS_MAX)


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    terminal.BINARY = os.path.abspath(sys.argv[2])
    wanted = sys.argv[3:]
    passed, failed = 0, []
    with server.Server() as shared, terminal.own_state():
        for module in MODULES:
            began = time.monotonic()
            for name, function in inspect.getmembers(importlib.import_module(f"test_{module}"), inspect.isfunction):
                if not name.startswith("test_") or wanted and not any(word in name for word in wanted):
                    continue
                try:
                    asyncio.run(attempt(function, shared))
                    passed += 1
                except Exception:
                    failed.append(name)
                    print(f"error: {name}: {inspect.getdoc(function)}")
                    traceback.print_exc(file=sys.stdout)
                    sys.stdout.flush()
            print(f"{module}: {time.monotonic() - began:.1f} s", flush=True)
        if shared.process.poll() is not None:
            failed.append(f"the server ended with {shared.process.returncode}: {shared.lines[-3:]}")
    for name in failed:
        print(f"error: {name}")
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
