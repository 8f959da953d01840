"""Runs a server and tries it from outside, as clients and operators do: `run.py PATH_OF_SYNCSERVER [NAME…]`."""

import os
import sys

import runner
import server

MODULES = [
    "messages", "binary", "closes", "resuming", "http", "queries", "frames", "framing", "compression", "operating", "flags",
    "deploy", "metrics", "limits", "tokens", "tls", "storage", "log_commands", "crashes",
]
SECONDS_MAX = 90


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    with server.Server() as shared:
        runner.run(MODULES, sys.argv[2:], lambda test: runner.call(test, {"shared": shared}, SECONDS_MAX), [shared])


main()
