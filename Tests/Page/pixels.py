"""Computes expected pixels independently of the page."""

import numpy

PAPER = (250, 249, 246)


def rgb(text):
    return tuple(int(text[at : at + 2], 16) for at in (1, 3, 5))


def mixed(over, under, alpha):
    return tuple(round(a * alpha + b * (1 - alpha)) for a, b in zip(over, under))


def centers(shape):
    """The x and y of the centres of all pixels."""
    rows, columns = shape[:2]
    return numpy.meshgrid(numpy.arange(columns) + 0.5, numpy.arange(rows) + 0.5)


def near(polygon, shape, margin=16):
    """The part of a picture around a polygon, so that fewer pixels have to be computed."""
    columns, rows = zip(*polygon)
    return (
        slice(max(0, int(min(rows)) - margin), min(shape[0], int(max(rows)) + margin)),
        slice(max(0, int(min(columns)) - margin), min(shape[1], int(max(columns)) + margin)),
    )


def inside(polygon, x, y):
    """Which points are inside a polygon. Counts the edges to the right of each point."""
    result = numpy.zeros(x.shape, dtype=bool)
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        if ay == by:
            continue
        crosses = (ay > y) != (by > y)
        result ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return result


def distance(polygon, x, y):
    """The distance of each point from the polygon's edges."""
    nearest = numpy.full(x.shape, numpy.inf)
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        length = (bx - ax) ** 2 + (by - ay) ** 2
        along = numpy.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1) if length else 0
        nearest = numpy.minimum(nearest, numpy.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay)))
    return nearest


def differs(picture, color, tolerance=3):
    """Which pixels have another colour than `color`."""
    return (numpy.abs(picture[:, :, :3].astype(int) - numpy.array(color)) > tolerance).any(axis=2)
