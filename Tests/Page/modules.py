"""Lets tests call modules of web/ that the served bundle doesn't expose."""

import subprocess
from functools import cache
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"


@cache
def module(path):
    """A JavaScript expression for the exports of a module. The module is loaded separately from the page's own copy."""
    command = ["esbuild", WEB / path, "--bundle", "--format=iife", "--global-name=exported", "--target=es2022", "--log-level=warning"]
    script = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return f"(() => {{ {script}; return exported }})()"
