"""Runs the terminal client against a server: `run.py PATH_OF_SYNCSERVER PATH_OF_SYNC_CLIENT [NAME…]`."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "EndToEnd"))

import runner  # noqa: E402
import server  # noqa: E402
import terminal  # noqa: E402

MODULES = ["commands", "editing", "watching", "exchanging", "piping", "bots", "secure", "documents"]
SECONDS_MAX = 120


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    terminal.BINARY = os.path.abspath(sys.argv[2])
    with server.Server() as shared, terminal.own_state():
        runner.run(MODULES, sys.argv[3:], lambda test: runner.call(test, {"shared": shared}, SECONDS_MAX), [shared])


main()
