"""Writes boat.gltf, the boat of the example: a hull with a cockpit, a mast and a sail, each a closed surface.

    python3 examples/boat/make_boat.py

Faces repeat their vertices, as files from modelling programs do, and the hull has two materials, so that its surface is
closed only when its parts are put together. Lengths are in meters; x points to the bow, and y up.
"""

import base64
import json
import math
import pathlib
import struct

STATIONS = 14
SIDE = 6
LENGTH, BEAM, DECK, KEEL = 1.5, 0.56, 0.2, -0.2


def half_breadth(along):
    """Half of the width at the deck, `along` from 0 at the stern to 1 at the bow."""
    return 0.5 * BEAM * (0.8 + 0.2 * math.sin(math.pi * min(1.0, along / 0.6))) * max(0.02, 1.0 - along**3.2)


def ring(along):
    """The outline of a station: from the left edge of the deck under the keel to the right one, and back on deck."""
    x = LENGTH * (along - 0.5)
    breadth, keel = half_breadth(along), KEEL + 0.22 * along**4
    deck = DECK + 0.08 * along**3
    side = [(breadth * (step / SIDE) ** 0.55, keel + (deck - keel) * step / SIDE) for step in range(SIDE + 1)]
    hull = [(x, y, -z) for z, y in reversed(side)] + [(x, y, z) for z, y in side[1:]]
    depth = 0.11 * max(0.0, min(1.0, 8.0 * (along - 0.12), 8.0 * (0.68 - along)))
    inner = 0.8 * breadth
    floor = deck - 0.004 - depth
    on_deck = [(x, deck, inner), (x, floor, inner), (x, floor, -inner), (x, deck, -inner)]
    return hull, on_deck


def hull():
    """The triangles of the outside and of the deck."""
    rings = [ring(number / (STATIONS - 1)) for number in range(STATIONS)]
    outside, deck = [], []

    def strip(one, other, triangles):
        for a, b, c, d in zip(one, one[1:], other, other[1:]):
            triangles += [(a, c, b), (b, c, d)]

    for (hull_one, deck_one), (hull_other, deck_other) in zip(rings, rings[1:]):
        strip(hull_one, hull_other, outside)
        # The deck joins the right edge of the hull to the left one.
        strip([hull_one[-1], *deck_one, hull_one[0]], [hull_other[-1], *deck_other, hull_other[0]], deck)
    for (outline, on_deck), order in ((rings[0], 1), (rings[-1], -1)):
        whole = (outline + on_deck)[::order]
        # A fan around a point on the keel's plane, below the cockpit's floor.
        middle = (whole[0][0], 0.5 * (outline[SIDE][1] + on_deck[1][1]), 0.0)
        outside += [(middle, a, b) for a, b in zip(whole, whole[1:] + whole[:1])]
    return outside, deck


def cylinder(radius, low, high, x, sides=10):
    """A closed vertical cylinder."""
    around = [(x + radius * math.cos(math.tau * side / sides), radius * math.sin(math.tau * side / sides)) for side in range(sides)]
    triangles = []
    for (ax, az), (bx, bz) in zip(around, around[1:] + around[:1]):
        a, b, c, d = (ax, low, az), (bx, low, bz), (ax, high, az), (bx, high, bz)
        triangles += [(a, c, b), (b, c, d), ((x, low, 0.0), a, b), ((x, high, 0.0), d, c)]
    return triangles


def sail():
    """A thin closed triangle behind the mast."""
    corners, half = [(0.12, 0.38), (0.12, 1.25), (-0.62, 0.42)], 0.012
    left, right = ([(x, y, z) for x, y in corners] for z in (-half, half))
    triangles = [tuple(left), tuple(reversed(right))]
    for start in range(3):
        a, b = left[start], left[(start + 1) % 3]
        c, d = right[start], right[(start + 1) % 3]
        triangles += [(a, c, b), (b, c, d)]
    return triangles


def normal(triangle):
    a, b, c = triangle
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = math.hypot(*cross)
    return tuple(entry / length for entry in cross) if length > 0.0 else (0.0, 1.0, 0.0)


def outward(triangles):
    """The triangles of a closed surface, turned so that they face outwards."""
    volume = sum(
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        for a, b, c in triangles
    )
    return triangles if volume > 0.0 else [(a, c, b) for a, b, c in triangles]


def main():
    outside, deck = hull()
    whole = outward(outside + deck)
    outside, deck = whole[: len(outside)], whole[len(outside) :]
    data, views, accessors = bytearray(), [], []

    def accessor(values):
        values = [tuple(struct.unpack("<f", struct.pack("<f", entry))[0] for entry in value) for value in values]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 12 * len(values)})
        data.extend(b"".join(struct.pack("<3f", *value) for value in values))
        low, high = (list(bound(column) for column in zip(*values)) for bound in (min, max))
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(values), "type": "VEC3", "min": low, "max": high})
        return len(accessors) - 1

    def primitive(triangles, material):
        places = [corner for triangle in triangles for corner in triangle]
        normals = [normal(triangle) for triangle in triangles for _ in triangle]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 2 * len(places)})
        data.extend(struct.pack(f"<{len(places)}H", *range(len(places))))
        data.extend(bytes(-len(data) % 4))
        accessors.append({"bufferView": len(views) - 1, "componentType": 5123, "count": len(places), "type": "SCALAR"})
        indices = len(accessors) - 1
        return {"attributes": {"POSITION": accessor(places), "NORMAL": accessor(normals)}, "indices": indices, "material": material}

    meshes = [
        {"name": "hull", "primitives": [primitive(outside, 0), primitive(deck, 1)]},
        {"name": "mast", "primitives": [primitive(outward(cylinder(0.022, 0.05, 1.3, 0.16)), 1)]},
        {"name": "sail", "primitives": [primitive(outward(sail()), 2)]},
    ]

    def material(name, color):
        rough = {"baseColorFactor": [*color, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7}
        return {"name": name, "pbrMetallicRoughness": rough}

    text = {
        "asset": {"version": "2.0", "generator": "examples/boat/make_boat.py of Nearwater"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "boat", "children": [1, 2, 3]}] + [{"name": mesh["name"], "mesh": number} for number, mesh in enumerate(meshes)],
        "meshes": meshes,
        "materials": [material("paint", (0.42, 0.05, 0.04)), material("wood", (0.55, 0.33, 0.15)), material("cloth", (0.9, 0.88, 0.8))],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
    }
    pathlib.Path(__file__).with_name("boat.gltf").write_text(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    main()
