"""The modules of web/, for tests that call one of them. The page is served as a bundle, which doesn't expose its modules."""

import subprocess
from functools import cache
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"


@cache
def module(path):
    """The exports of a module, as an expression to be evaluated in a page. The module's state is separate from the
    page's."""
    command = ["esbuild", WEB / path, "--bundle", "--format=iife", "--global-name=exported", "--target=es2022", "--log-level=warning"]
    script = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return f"(() => {{ {script}; return exported }})()"
