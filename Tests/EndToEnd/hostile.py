"""Drawings that make as much work as possible for clients. Tests/TestSupport/HostileDrawing.swift makes them."""

import json
import os
import subprocess

import server


def made(*words):
    program = os.path.join(os.path.dirname(server.BINARY), "hostile-drawing")
    return subprocess.run([program, *map(str, words)], capture_output=True, check=True, text=True, timeout=60).stdout


def kinds():
    return made().split()


def drawing(kind, seed=1, shapes=40):
    """The drawing as a document that can be imported."""
    return made(kind, seed, shapes)


def operations(kind, seed=1, shapes=40):
    """The drawing as operations `(shape, {…})`, in messages of moderate length."""
    batch, size = [], 0
    for shape in json.loads(drawing(kind, seed, shapes))["shapes"]:
        batch.append((shape.pop("id"), shape))
        size += len(json.dumps(shape))
        if size > 200_000 or len(batch) == 200:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
