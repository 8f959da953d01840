"""Tries the full-screen commands in terminals, against a real server: `screen.py SYNCSERVER SYNC_CLIENT [NAME…]`."""

import inspect
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "EndToEnd"))

import server  # noqa: E402
import test_drawing  # noqa: E402
import test_ending  # noqa: E402
import test_looking  # noqa: E402
import test_measures  # noqa: E402
import test_past  # noqa: E402

MODULES = [test_looking, test_drawing, test_ending, test_past, test_measures]


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    client = os.path.abspath(sys.argv[2])
    wanted = sys.argv[3:]
    passed, failed = 0, []
    with server.Server() as shared:
        for module in MODULES:
            began = time.monotonic()
            for name, function in inspect.getmembers(module, inspect.isfunction):
                if not name.startswith("test_") or wanted and not any(word in name for word in wanted):
                    continue
                try:
                    function(shared, client)
                    passed += 1
                except Exception:
                    failed.append(name)
                    print(f"error: {name}: {inspect.getdoc(function)}")
                    traceback.print_exc(file=sys.stdout)
                    sys.stdout.flush()
            print(f"{module.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    for name in failed:
        print(f"error: {name}")
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
