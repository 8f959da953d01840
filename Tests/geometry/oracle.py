#!/usr/bin/env python3
"""Checks CanvasCRDT's geometry against shapely's, on random pairs of outlines and on degenerate ones.

    python3 Tests/geometry/oracle.py PATH-OF-geometry-dump [PAIRS [SEED]]

This program approximates every outline by two polygons, an inscribed and a circumscribed one (the same if the outline
has no curves). If the inscribed polygons overlap, so do the outlines. If the circumscribed polygons don't overlap,
neither do the outlines. Any other pair is too close to touching for this approximation, so its overlap is not checked,
and such pairs are counted. Exits with 1 on any disagreement."""

import json
import math
import random
import subprocess
import sys
from fractions import Fraction

import numpy as np
import shapely

RECTANGLE, ROUNDED, ELLIPSE, POLYGON, STAR = range(5)

# The number of corners of a polygon that approximates a whole curve. It is a multiple of four, so that the polygon
# includes the outermost points of the curve.
SIDES = 720
# If the common part of two outlines is no thicker than this, the outlines count as touching, as in
# Outline.overlapDepthMin. The thickness is estimated as the area divided by half of the perimeter. The estimate also
# depends on the part's form, so the two limits below leave a factor of 8 on each side.
DEPTH_MIN = 1e-6
CERTAIN_DEPTH = 8 * DEPTH_MIN
CERTAIN_TOUCH = DEPTH_MIN / 8
# The largest share of random pairs that may be left unchecked. With more, this program would prove little.
EXEMPT_PART_MAX = 0.01


# --- Pairs -----------------------------------------------------------------------------------------------------------


def outline(kind, x, y, width, height, rotation=0.0, radius=24.0, points=5, ratio=0.5):
    return (kind, float(x), float(y), float(width), float(height), float(rotation), float(radius), points, float(ratio))


def moved(shape, x, y):
    return (shape[0], x, y) + shape[3:]


def random_outline(chance, longest, kind=None):
    """An outline around the origin, whose longer side is at most `longest`."""
    longer = max(1.0, longest * chance.random())
    shorter = max(1.0, longer * 10 ** chance.uniform(-2, 0))
    width, height = (longer, shorter) if chance.random() < 0.5 else (shorter, longer)
    if chance.random() < 0.3:
        width = height
    rotation = chance.choice([0, 0, 90, 180, 45, 30, chance.uniform(-720, 720), chance.uniform(-1e6, 1e6)])
    return outline(
        chance.randrange(5) if kind is None else kind, -width / 2, -height / 2, width, height, rotation,
        chance.choice([0, 24, longer, chance.uniform(0, longer)]), chance.choice([3, 4, 5, 6, 12, 64]),
        chance.choice([0.05, 0.382, 0.5, 0.9, 1, chance.uniform(0.05, 1)]))


def random_pair(chance):
    longest = 10 ** chance.uniform(0.3, 6)
    first = random_outline(chance, longest)
    second = random_outline(chance, longest * 10 ** chance.uniform(-1, 0.3))
    reach = (max(first[3:5]) + max(second[3:5])) / 2
    first = moved(first, first[1] + chance.uniform(-1, 1), first[2] + chance.uniform(-1, 1))
    return first, moved(second, second[1] + chance.uniform(-reach, reach), second[2] + chance.uniform(-reach, reach))


def identical(chance):
    shape = random_outline(chance, 10 ** chance.uniform(0.3, 6))
    turn = chance.choice([0, 0, 360, 180, 1e-9, 90])
    return shape, shape[:5] + (shape[5] + turn,) + shape[6:]


def touching_boxes(chance):
    """Shapes without rotation and with whole coordinates, whose boxes share an edge or a corner."""
    width, height = chance.randint(1, 500), chance.randint(1, 500)
    first = outline(chance.randrange(5), 0, 0, width, height, 0, chance.randint(0, 50), chance.choice([4, 8, 12]), 0.5)
    second = outline(chance.randrange(5), 0, 0, chance.randint(1, 500), chance.randint(1, 500), 0,
                     chance.randint(0, 50), chance.choice([4, 8, 12]), 0.5)
    x = chance.choice([width, -second[3], chance.randint(-int(second[3]), width)])
    y = chance.choice([height, -second[4]]) if x not in (width, -second[3]) else chance.randint(-int(second[4]), height)
    return first, moved(second, x, y)


def touching_turned(chance):
    """Two rectangles with the same rotation, side by side, touching or with a tiny gap or overlap."""
    rotation = chance.uniform(-360, 360)
    width, height, other = chance.uniform(1, 500), chance.uniform(1, 500), chance.uniform(1, 500)
    apart = (width + other) / 2 + chance.choice([0, 0, 1e-4, -1e-4, 1e-2, -1e-2])
    along = chance.uniform(-height, height) / 2
    radians = math.radians(rotation)
    x = apart * math.cos(radians) - along * math.sin(radians)
    y = apart * math.sin(radians) + along * math.cos(radians)
    return (outline(RECTANGLE, -width / 2, -height / 2, width, height, rotation),
            outline(RECTANGLE, x - other / 2, y - height / 2, other, height, rotation + chance.choice([0, 180])))


def inside(chance):
    outer = random_outline(chance, 10 ** chance.uniform(2, 6))
    scale = 10 ** chance.uniform(-2, -0.3)
    inner = random_outline(chance, max(2.0, min(outer[3:5]) * scale))
    x, y = (chance.uniform(-0.2, 0.2) * side for side in outer[3:5])
    return outer, moved(inner, inner[1] + x, inner[2] + y)


def slivers(chance):
    kinds = [chance.randrange(5), chance.randrange(5)]
    sizes = [chance.choice([(1, 1e6), (1e6, 1), (1, 1e4), (2, 1e5)]) for _ in kinds]
    first, second = (
        outline(kind, -size[0] / 2, -size[1] / 2, size[0], size[1], chance.choice([0, 90, 45, chance.uniform(0, 360)]),
                chance.uniform(0, 1), chance.choice([3, 5, 64]), chance.uniform(0.05, 1))
        for kind, size in zip(kinds, sizes))
    reach = chance.choice([2, 1e3, 5e5])
    return first, moved(second, second[1] + chance.uniform(-reach, reach), second[2] + chance.uniform(-reach, reach))


def star_notch(chance):
    points = chance.choice([3, 5, 6, 8, 16])
    ratio = chance.uniform(0.05, 0.7)
    rotation = chance.uniform(0, 360)
    star = outline(STAR, -200, -200, 400, 400, rotation, 0, points, ratio)
    angle = math.radians(rotation - 90 + 180 / points)
    out = 200 * (ratio + (1 - ratio) * chance.random())
    small = random_outline(chance, 60)
    return star, moved(small, small[1] + out * math.cos(angle), small[2] + out * math.sin(angle))


def circles(chance):
    """Circles that touch from outside or inside, exactly or nearly. Their direction is Pythagorean, so that the
    distance is exact."""
    x, y, hypotenuse = chance.choice([(3, 4, 5), (5, 12, 13), (8, 15, 17), (1, 0, 1), (0, 1, 1), (20, 21, 29)])
    scale = chance.randint(1, 40)
    distance = hypotenuse * scale
    one = chance.randint(1, 2 * distance - 1) / 2 if chance.random() < 0.7 else distance + chance.randint(1, 20)
    other = abs(distance - one) or 0.5
    nudge = chance.choice([0, 0, 0, 1e-3, -1e-3, 1e-5, -1e-5])
    one, other = max(one, 0.5), max(other, 0.5)
    first = outline(ELLIPSE, -one, -one, 2 * one, 2 * one, chance.choice([0, 33]))
    return first, outline(ELLIPSE, x * scale - other + nudge, y * scale - other, 2 * other, 2 * other)


def far_away(chance):
    first, second = chance.choice([random_pair, touching_turned, star_notch, identical, inside])(chance)
    x, y = chance.choice([-1e7, 1e7]), chance.choice([-1e7, 1e7, 0])
    return moved(first, first[1] + x, first[2] + y), moved(second, second[1] + x, second[2] + y)


def stars(chance):
    """Stars over stars, whose common region has many parts."""
    first, second = (
        outline(STAR, -100, -100, 200, 200, chance.uniform(0, 360), 0, chance.choice([4, 5, 7, 16, 64]),
                chance.uniform(0.05, 0.6)) for _ in range(2))
    return first, moved(second, second[1] + chance.uniform(-150, 150), second[2] + chance.uniform(-150, 150))


def outermost(shape, direction):
    """The point of a convex outline around the origin that is farthest in this direction."""
    kind, _, _, width, height, rotation, radius, points, _ = shape
    a, b = width / 2, height / 2
    turned = complex(math.cos(math.radians(rotation)), math.sin(math.radians(rotation)))
    seen = direction / turned
    if kind == ELLIPSE:
        reach = math.hypot(a * seen.real, b * seen.imag)
        return complex(a * a * seen.real, b * b * seen.imag) / reach * turned
    if kind == POLYGON:
        angles = [2 * math.pi * index / points for index in range(points)]
        corners = [complex(a * math.sin(angle), -b * math.cos(angle)) for angle in angles]
        return max(corners, key=lambda corner: (corner * seen.conjugate()).real) * turned
    radius = min(radius, a, b) if kind == ROUNDED else 0
    corner = complex(math.copysign(a - radius, seen.real), math.copysign(b - radius, seen.imag))
    return (corner + radius * seen) * turned


def tangent(chance):
    """Two convex shapes that touch in one point, or have a gap or overlap of a fraction of their size."""
    longest = 10 ** chance.uniform(0.3, 6)
    first, second = (random_outline(chance, longest, chance.choice([RECTANGLE, ROUNDED, ELLIPSE, ELLIPSE, POLYGON]))
                     for _ in range(2))
    angle = chance.choice([chance.uniform(0, 2 * math.pi), math.radians(first[5]), math.radians(second[5] + 90)])
    direction = complex(math.cos(angle), math.sin(angle))
    gap = chance.choice([0, 1, -1, 1, -1]) * min(*first[3:5], *second[3:5]) * 10 ** chance.uniform(-5, -1)
    place = outermost(first, direction) - outermost(second, -direction) + gap * direction
    return first, moved(second, second[1] + place.real, second[2] + place.imag)


DEGENERATE = [
    identical, touching_boxes, touching_turned, inside, slivers, star_notch, circles, far_away, stars, tangent, tangent]


def make_pairs(count, seed):
    chance = random.Random(seed)
    pairs = []
    for index in range(count):
        make = random_pair if index % 2 == 0 else DEGENERATE[index // 2 % len(DEGENERATE)]
        first, second = make(chance)
        if chance.random() < 0.5:
            first, second = second, first
        point = (chance.uniform(-0.1, 1.1) * first[3] + first[1], chance.uniform(-0.1, 1.1) * first[4] + first[2])
        pairs.append((make.__name__, first, second, point))
    return pairs


# --- The independent computation -------------------------------------------------------------------------------------

CIRCLE = np.exp(1j * np.arange(SIDES) * 2 * np.pi / SIDES)
CIRCLE[[0, SIDES // 4, SIDES // 2, 3 * SIDES // 4]] = [1, 1j, -1, -1j]
BETWEEN = np.exp(1j * (np.arange(SIDES) + 0.5) * 2 * np.pi / SIDES) / math.cos(math.pi / SIDES)


def arc_corners(half_width, half_height, radius, unit, offset):
    """A rounded rectangle made of the points of a unit circle, a quarter for each corner."""
    quarter = SIDES // 4
    corners = []
    for index, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        part = unit[index * quarter:(index + 1) * quarter + offset] if index < 3 else np.append(
            unit[index * quarter:], unit[:offset])
        if not offset:
            # The circumscribed polygon also needs the points where the straight sides begin.
            part = np.concatenate([[1j ** index], part, [1j ** (index + 1)]])
        corners.append(complex(x * (half_width - radius), y * (half_height - radius)) + radius * part)
    return np.concatenate(corners)


def polygons(shape, center):
    """The inscribed and the circumscribed polygon relative to `center`, and their greatest distance from each other."""
    kind, x, y, width, height, rotation, radius, points, ratio = shape
    a, b = width / 2, height / 2
    place = complex(x - center[0] + (width - center[2]) / 2, y - center[1] + (height - center[3]) / 2)
    # Removes whole turns exactly. The remaining angle is small enough to convert to radians precisely.
    turn = math.radians(math.fmod(rotation, 360))
    turned = {0: 1, 90: 1j, 180: -1, 270: -1j}.get(rotation % 360, complex(math.cos(turn), math.sin(turn)))

    def put(corners):
        corners = corners * turned + place
        return shapely.polygons(np.stack([corners.real, corners.imag], axis=1))

    error = 0.0
    if kind == RECTANGLE:
        inner = outer = put(np.array([complex(-a, -b), complex(a, -b), complex(a, b), complex(-a, b)]))
    elif kind == ELLIPSE:
        inner = put(CIRCLE.real * a + 1j * CIRCLE.imag * b)
        outer = put(BETWEEN.real * a + 1j * BETWEEN.imag * b)
        error = max(a, b) * (1 / math.cos(math.pi / SIDES) - math.cos(math.pi / SIDES))
    elif kind == ROUNDED:
        radius = min(radius, a, b)
        inner = put(arc_corners(a, b, radius, CIRCLE, 1))
        outer = put(arc_corners(a, b, radius, BETWEEN, 0))
        error = radius * (1 / math.cos(math.pi / SIDES) - math.cos(math.pi / SIDES))
    else:
        steps = np.arange(points if kind == POLYGON else 2 * points)
        angle = steps * (2 * np.pi / len(steps))
        out = np.where(steps % 2 == 0, 1.0, ratio) if kind == STAR else 1.0
        inner = outer = put(a * out * np.sin(angle) - 1j * b * out * np.cos(angle))
    return inner, outer, error


def swift_flatness(shape):
    """The largest allowed distance of Outline.commonRegion from the curve."""
    kind, _, _, width, height, _, radius, _, _ = shape
    if kind not in (ROUNDED, ELLIPSE):
        return 0.0
    radius = max(width, height) / 2 if kind == ELLIPSE else min(radius, width / 2, height / 2)
    return max(min(0.125, max(width, height) / 500), radius * (math.pi / 512) ** 2 / 2)


def thickness(area, perimeter):
    return np.where(perimeter > 0, area / np.maximum(perimeter / 2, 1e-300), 0)


def circle_depth(first, second):
    """How deep two circles overlap, computed exactly except for the last square root."""
    (x, y, size), (other_x, other_y, other_size) = (
        [Fraction(value) for value in shape[1:4]] for shape in (first, second))
    across = other_x + other_size / 2 - x - size / 2
    down = other_y + other_size / 2 - y - size / 2
    return float((size + other_size) / 2) - math.sqrt(across * across + down * down)


def upright_gap(first, second):
    """The gap between two rectangles without rotation, computed exactly. Negative for an overlap."""
    gaps = []
    for axis in (0, 1):
        middles = [Fraction(shape[1 + axis]) + Fraction(shape[3 + axis]) / 2 for shape in (first, second)]
        reaches = [Fraction(shape[3 + (axis + (shape[5] % 180 == 90)) % 2]) / 2 for shape in (first, second)]
        gaps.append(abs(middles[0] - middles[1]) - sum(reaches))
    return float(max(gaps))


# --- The check -------------------------------------------------------------------------------------------------------


def ask(program, pairs):
    lines = "".join(
        " ".join(repr(value) for value in (*first, *second, *point)) + "\n" for _, first, second, point in pairs)
    answer = subprocess.run([program], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in answer.stdout.splitlines()]
    assert len(answers) == len(pairs), f"{len(answers)} answers to {len(pairs)} questions"
    return answers


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    pairs = make_pairs(count, seed)
    answers = ask(program, pairs)

    mine, theirs = [], []
    for _, first, second, _ in pairs:
        center = (first[1], first[2], first[3], first[4])
        mine.append(polygons(first, center))
        theirs.append(polygons(second, center))
    inner, other_inner = (np.array([each[0] for each in side]) for side in (mine, theirs))
    outer, other_outer = (np.array([each[1] for each in side]) for side in (mine, theirs))
    errors = np.array([one[2] + other[2] for one, other in zip(mine, theirs)])
    common = shapely.intersection(inner, other_inner)
    widest = shapely.intersection(outer, other_outer)
    # If polygons coincide except for rounding, shapely may find no common area unless it rounds to a grid.
    lost = np.flatnonzero(shapely.is_empty(common) & np.array([answer["overlaps"] for answer in answers]))
    for index in lost:
        grid = 1e-9 * max(*pairs[index][1][3:5], *pairs[index][2][3:5])
        for found, one, other in ((common, inner, other_inner), (widest, outer, other_outer)):
            again = shapely.intersection(one[index], other[index], grid_size=grid)
            if shapely.area(again) > shapely.area(found[index]):
                found[index] = again
    common_area, common_length = shapely.area(common), shapely.length(common)
    certain = thickness(common_area, common_length) > CERTAIN_DEPTH
    apart = thickness(shapely.area(widest), shapely.length(widest)) < CERTAIN_TOUCH

    failures, exempt, random_exempt = [], 0, 0
    overlapping, regions, parts, given_up = 0, 0, 0, 0

    def fail(index, what, *numbers):
        failures.append(f"pair {index} ({pairs[index][0]}): {what} {numbers}\n  {pairs[index][1]}\n  {pairs[index][2]}")

    for index, ((name, first, second, point), answer) in enumerate(zip(pairs, answers)):
        said = answer["overlaps"]
        overlapping += said
        if said != answer["swapped"]:
            fail(index, "not the same answer for both")

        slack = 1e-9 * max(first[3], first[4]) + 4e-9

        expected = True if certain[index] else False if apart[index] else None
        if first[0] == second[0] == ELLIPSE and first[3] == first[4] and second[3] == second[4]:
            depth = circle_depth(first, second)
            expected = depth > DEPTH_MIN if abs(depth - DEPTH_MIN) > slack else None
        if first[0] == second[0] == RECTANGLE and first[5] % 90 == second[5] % 90 == 0:
            gap = upright_gap(first, second)
            # Coordinates around 1e7 are rounded to about 2e-9, so smaller gaps are not checked.
            expected = gap < 0 if gap == 0 or abs(gap) > 4e-9 else None
        if expected is None:
            exempt += 1
            random_exempt += name == "random_pair"
        elif expected != said:
            fail(index, f"overlap is {expected}", common_area[index], common_length[index])

        # Checks the area and the bounds of the first outline.
        if not shapely.area(inner[index]) * (1 - 1e-9) <= answer["area"] <= shapely.area(outer[index]) * (1 + 1e-9):
            fail(index, "area", answer["area"], shapely.area(inner[index]))
        least, most = shapely.bounds(inner[index]), shapely.bounds(outer[index])
        middle = np.array([first[1] + first[3] / 2, first[2] + first[4] / 2] * 2)
        away = (np.array(answer["bounds"]) - middle) * [-1, -1, 1, 1]
        if any(away < least * [-1, -1, 1, 1] - slack) or any(away > most * [-1, -1, 1, 1] + slack):
            fail(index, "bounds", answer["bounds"])

        # Checks whether the first outline contains the point.
        seen = shapely.points(point[0] - middle[0], point[1] - middle[1])
        if shapely.distance(shapely.boundary(inner[index]), seen) > mine[index][2] + slack:
            if bool(shapely.contains(inner[index], seen)) != answer["contains"]:
                fail(index, "contains the point", point)

        # Checks the common region.
        loops = answer["common"]
        if not said and loops:
            fail(index, "a common region without overlap")
        if not said:
            continue
        if loops is None:
            # A common region may be given up only if it is very intricate.
            given_up += 1
            if len(shapely.get_parts(common[index])) < 100:
                fail(index, "a common region that is given up")
            continue
        regions += 1
        region = [shapely.polygons(np.array(loop) - middle[:2]) for loop in loops]
        length = max(common_length[index], shapely.length(widest[index]))
        off = swift_flatness(first) + swift_flatness(second) + errors[index]
        bound = 1.1 * off * length + off * off * 64 + slack * length + slack
        area = float(sum(shapely.area(each) for each in region))
        if abs(area - common_area[index]) > bound:
            fail(index, "area of the common region", area, common_area[index], bound)
        for each in region:
            # If a loop crosses itself by more than a rounding error, parts of its area cancel each other.
            if abs(shapely.area(shapely.make_valid(each)) - shapely.area(each)) > slack * shapely.length(each) + slack:
                fail(index, "a loop that crosses itself")
        if index % 4 == 0 or name == "stars":
            both = shapely.union_all([shapely.make_valid(each) for each in region])
            if abs(shapely.area(both) - area) > slack * length + 1e-9 * area:
                fail(index, "loops that overlap each other", area, shapely.area(both))
            valid = shapely.make_valid(common[index])
            # If both regions nearly coincide, shapely can be wrong unless it rounds to a grid.
            if (shapely.area(shapely.symmetric_difference(both, valid)) > bound
                    and shapely.area(shapely.symmetric_difference(both, valid, grid_size=slack)) > bound + slack * length):
                fail(index, "the common region is elsewhere", area, bound)
        if off == 0:
            wanted = [part for part in shapely.get_parts(common[index]) if shapely.get_dimensions(part) == 2]
            sizes = sorted(float(shapely.area(part)) for part in wanted)
            found = sorted(float(shapely.area(part)) for part in region)
            least = slack * length + 1e-6
            if len([size for size in sizes if size > least]) != len([size for size in found if size > least]):
                fail(index, "number of parts", found, sizes)
            parts += len(found)

    print(f"{len(pairs)} pairs, {overlapping} overlap; {exempt} exempt ({random_exempt} of the random ones); "
          f"{regions} common regions ({given_up} given up), {parts} parts of straight-edged ones; {len(failures)} disagreements")
    for failure in failures[:20]:
        print(failure)
    if random_exempt > EXEMPT_PART_MAX * len(pairs) / 2:
        print("too many random pairs exempt")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
