"""Tries the page in Debian's Chromium against a real server: `run.py PATH_OF_SYNCSERVER [NAME…]`.

Every `test_*.py` beside this file is a module of tests. A test is handed what its parameters ask for: `room` is a fresh room on
the server that all share, `world` the browser and the means to start servers of its own. With `--headed` the browser is seen.
"""

import os
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(1, str(here.parent / "EndToEnd"))

import runner  # noqa: E402
import server  # noqa: E402
from world import World  # noqa: E402


def main():
    options = [argument for argument in sys.argv[2:] if argument.startswith("--")]
    wanted = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    server.BINARY = os.path.abspath(sys.argv[1])
    modules = [path.stem.removeprefix("test_") for path in sorted(here.glob("test_*.py"))]
    with World(headed="--headed" in options) as world:

        def attempt(function):
            with world.test(function.__name__) as test:
                runner.call(function, {"room": test.room, "world": world})

        runner.run(modules, wanted, attempt, [world.server])


main()
