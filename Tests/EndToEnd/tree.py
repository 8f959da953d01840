"""Reads files of the project for tests."""

import os
import re

from server import ROOT


def content(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


VERSION = re.search(r'static let version = "(.*)"', content("Sources", "CommandWords", "Release.swift"))[1]
