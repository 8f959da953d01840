"""Runs a server and tries it from outside, as clients and operators do: `run.py PATH_OF_SYNCSERVER [NAME…]`."""

import asyncio
import importlib
import inspect
import os
import sys
import time
import traceback

import server

MODULES = [
    "messages", "closes", "resuming", "http", "queries", "frames", "framing", "operating", "limits", "tokens", "tls", "storage",
    "log_commands", "crashes",
]
SECONDS_MAX = 90


async def attempt(function, shared):
    arguments = [shared] if inspect.signature(function).parameters else []
    await asyncio.wait_for(function(*arguments), SECONDS_MAX)


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    passed, failed, skipped = 0, [], []
    with server.Server() as shared:
        for module in MODULES:
            began = time.monotonic()
            for name, function in inspect.getmembers(importlib.import_module(f"test_{module}"), inspect.isfunction):
                if not name.startswith("test_") or wanted and not any(word in name for word in wanted):
                    continue
                try:
                    asyncio.run(attempt(function, shared))
                    passed += 1
                except server.Skipped as reason:
                    skipped.append(f"skipped: {name}: {reason}")
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
    for line in skipped:
        print(line)
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed else 0)


main()
