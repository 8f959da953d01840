"""Tries the full-screen commands in terminals, against a real server: `screen.py SYNCSERVER SYNC_CLIENT [NAME…]`."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "EndToEnd"))

import runner  # noqa: E402
import server  # noqa: E402

MODULES = ["looking", "drawing", "ending", "past", "measures"]


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    client = os.path.abspath(sys.argv[2])
    with server.Server() as shared:
        runner.run(
            MODULES,
            sys.argv[3:],
            lambda test: runner.call(test, {"server": shared, "_": shared, "client": client}),
            [shared],
        )


main()
