# SPDX-License-Identifier: BSD-3-Clause
"""pictures.py LIST: reads the pictures that tests/apps/pictures.t has made, and checks what can be known of those that the
list names.

PNG files are decoded by zlib alone, SVG files by Python's XML parser.
"""

import base64
import io
import os
import struct
import sys
import xml.etree.ElementTree
import zlib

import h5py
import numpy

SVG = "{http://www.w3.org/2000/svg}"


def read_png(file):
    """The pixels of a PNG image as rows x columns x 3, and its pixels an inch or None."""
    data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
        chunks.append((kind, body))
        at += 12 + length
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    assert depth == 8 and colour in (0, 2), (depth, colour)
    channels = 3 if colour else 1
    rows = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    rows = numpy.frombuffer(rows, numpy.uint8).reshape(height, 1 + width * channels)
    pixels = numpy.zeros((height, width * channels), numpy.uint8)
    for y in range(height):
        pixels[y] = unfilter(rows[y, 0], rows[y, 1:], pixels[y - 1] if y else 0 * pixels[0], channels)
    dpi = [struct.unpack(">IIB", body) for kind, body in chunks if kind == b"pHYs"]
    pixels = pixels.reshape(height, width, channels)
    return numpy.broadcast_to(pixels, (height, width, 3)), dpi[0][0] * 0.0254 if dpi else None


def unfilter(kind, line, above, step):
    """A row of a PNG image from its filtered form."""
    if kind == 0:
        return line
    if kind == 2:
        return line + above
    if kind == 1:
        return numpy.cumsum(line.reshape(-1, step), axis=0, dtype=numpy.uint8).reshape(-1)
    line, above = line.reshape(-1, step), above.reshape(-1, step)
    before = numpy.vstack([0 * above[:1], above[:-1]])
    # a pixel whose predictor is the one on its left, and which equals it: most of a picture
    plain = kind == 4 and ((line == 0) & (above == before)).all(axis=1)
    others = numpy.flatnonzero(~plain | (numpy.arange(len(line)) == 0))
    left, pixels = [0] * step, []
    for values, over, corner in zip(line[others].tolist(), above[others].tolist(), before[others].tolist()):
        # the one before this one in `others` is as all between
        left = [(value + predicted(kind, a, b, c)) % 256 for value, a, b, c in zip(values, left, over, corner)]
        pixels.append(left)
    repeats = numpy.diff(numpy.append(others, len(line)))
    return numpy.repeat(numpy.array(pixels, numpy.uint8), repeats, axis=0).reshape(-1)


def predicted(kind, a, b, c):
    """A byte of a PNG image from those on its left, above, and between these."""
    if kind == 3:
        return (a + b) // 2
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


class Svg:
    def __init__(self, name):
        self.root = xml.etree.ElementTree.parse(name).getroot()
        assert self.root.tag == SVG + "svg"
        self.size = tuple(float(x) for x in self.root.get("viewBox").split()[2:])
        self.texts = ["".join(e.itertext()) for e in self.root.iter(SVG + "text")]

    def lines(self, colour=None, dashed=None):
        """The lines as arrays of points."""
        found = []
        for e in self.root.iter(SVG + "polyline"):
            if colour in (None, e.get("stroke")) and dashed in (None, e.get("stroke-dasharray") is not None):
                found.append(points(e))
        return found

    def areas(self, colour):
        return [points(e) for e in self.root.iter(SVG + "polygon") if e.get("fill") == colour]

    def images(self):
        """The place of each image, (x, y, width, height), and its pixels."""
        found = []
        for e in self.root.iter(SVG + "image"):
            kind, data = e.get("{http://www.w3.org/1999/xlink}href").split(",")
            assert kind == "data:image/png;base64"
            place = [float(e.get(key)) for key in ("x", "y", "width", "height")]
            found.append((place, read_png(io.BytesIO(base64.b64decode(data)))[0]))
        return found

    def has(self, *texts):
        for text in texts:
            assert text in self.texts, (text, self.texts)


def points(element):
    return numpy.array([[float(x) for x in p.split(",")] for p in element.get("points").split()])


def png(name):
    with open(name, "rb") as file:
        return read_png(file)


LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]


def near(pixels, colour, most=0):
    """Which pixels have a colour, written as in SVG."""
    wanted = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    return (abs(pixels.astype(int) - wanted) <= most).all(axis=-1)


# --- what is checked --------------------------------------------------------------------------------------------------

def check_solve():
    """The curve is the history that was written, divided by |b|; the tolerance is a dashed line."""
    svg = Svg("solve.svg")
    svg.has("poisson:20x20: cg", "iteration", "relative residual |b − Ax| / |b|", "tolerance 10−8", "10−8", "100", "0")
    with h5py.File("solve.h5") as file:
        history = file["x_history"][()] / file["x"].attrs["rhs_norm"]
    curve = max(svg.lines(LINES[0]), key=len)
    assert len(curve) == len(history), (len(curve), len(history))
    (rule,) = svg.lines(dashed=True)
    assert rule[0, 1] == rule[1, 1] and rule[0, 0] == curve[:, 0].min() and rule[1, 0] == curve[:, 0].max()
    x, y = numpy.arange(len(history)), numpy.log10(history)  # both axes are straight
    for place, value in ((curve[:, 0], x), (curve[:, 1], y)):
        slope, start = numpy.polyfit(value, place, 1)
        assert abs(slope * value + start - place).max() < 0.02
    assert abs(slope * -8 + start - rule[0, 1]) < 0.03


def check_systems():
    """Several right-hand sides are curves with different colours and marks, and a legend."""
    svg = Svg("systems.svg")
    svg.has("right-hand side 0", "right-hand side 1", "right-hand side 2")
    for colour in LINES[:3]:
        assert len(svg.lines(colour)) >= 2, colour  # the curve, and its key in the legend


def check_histogram():
    """The bars are numpy.histogram's, of whole numbers one each."""
    with h5py.File("data.h5") as file:
        data, reals = file["integers"][()], file["reals"][()]
    for name, counts in (("integers.svg", numpy.bincount(data.ravel() - data.min())),
                         ("reals.svg", numpy.histogram(reals, bins=100)[0])):
        svg = Svg(name)
        svg.has("data.h5:/" + name[:-4], "value")
        bars = svg.areas(LINES[0])
        assert len(bars) == (counts > 0).sum(), (len(bars), counts)
        tops = numpy.array([numpy.ptp(bar[:, 1]) for bar in bars])
        lefts = numpy.array([bar[:, 0].min() for bar in bars])
        assert (numpy.diff(lefts) > 0).all()
        high = counts[counts > 0] / counts.max() * tops.max()
        assert abs(tops - high)[high > 0.6].max() < 0.03
    svg = Svg("integers.svg")
    svg.has("count", str(data.size) + " values, mean %.6g, standard deviation %.6g" % (data.mean(), data.std()))
    middles = {text: x for text, x in ((int("".join(e.itertext()).replace("−", "-")), float(e.get("x")))
                                       for e in svg.root.iter(SVG + "text") if is_integer("".join(e.itertext()))
                                       and e.get("text-anchor") == "middle")}
    value, x = sorted(middles.items())[0]
    bar = svg.areas(LINES[0])[value - data.min()]
    assert abs((bar[:, 0].min() + bar[:, 0].max()) / 2 - x) < 0.02  # a number is below the middle of its bar


def is_integer(text):
    return text.replace("−", "").isdigit()


def check_colours():
    """An image in colour is shown in its colours, and has a histogram of each."""
    with h5py.File("data.h5") as file:
        data = file["colour"][()]
    svg = Svg("colour.svg")
    svg.has("red", "green", "blue")
    for k, colour in enumerate(["#d55e00", "#009e73", "#0072b2"]):
        line = max(svg.lines(colour), key=len)
        counts = numpy.bincount(data[..., k].ravel() - data.min(), minlength=int(data.max()) - int(data.min()) + 1)
        heights = line[:, 1].max() - line[1:-1:2, 1]
        assert len(heights) == len(counts), (len(heights), len(counts))
        scale = heights.max() / counts.max()
        assert abs(heights - scale * counts).max() < 0.03
    svg = Svg("conv.svg")
    svg.has("data.h5:/colour", "out.h5:/same", "row", "column", "0")
    before, after = svg.images()
    assert (before[1] == data).all() and (after[1] == data).all()
    pixels, _ = png("conv.png")
    coloured = (pixels != pixels[..., :1]).any(axis=2)
    top, *_, bottom = numpy.flatnonzero(coloured.any(axis=1))
    edges = numpy.flatnonzero(numpy.diff(coloured.any(axis=0).astype(int))) + 1
    assert len(edges) == 4, edges
    for left, right in (edges[:2], edges[2:]):  # each element is a square of whole pixels
        side = (right - left) // data.shape[1]
        assert (pixels[top:bottom + 1, left:right] == data.repeat(side, 0).repeat(side, 1)).all()


def check_means():
    """Large arrays are reduced by means; the scale shows the range."""
    with h5py.File("data.h5") as file:
        data = file["large"][()]
    svg = Svg("large.svg")
    (place, image), bar = svg.images()[0], svg.images()[1]
    means = data.reshape(7, 1020, 2).mean(axis=2)  # so long an image is reduced along one side alone, and stretched
    level = 255 * (means - means.min()) / numpy.ptp(means)
    assert image.shape == (7, 1020, 3) and (image == image[..., :1]).all()
    assert abs(image[..., 0] - level).max() <= 0.51
    assert bar[1].shape == (256, 1, 3) and (numpy.diff(bar[1][:, 0, 0].astype(int)) <= 0).all()
    assert abs(place[2] - 5 * place[3]) < 0.1 * place[2]
    squares = Svg("square.svg").images()[0]  # others have square dots
    assert squares[1].shape == (200, 1020, 3) and abs(squares[0][2] - 1020 / 200 * squares[0][3]) < 0.1 * squares[0][2]


def check_map():
    """The lightness of the map grows evenly."""
    bar = Svg("map.svg").images()[1][1][::-1, 0].astype(float) / 255
    linear = numpy.where(bar <= 0.04045, bar / 12.92, ((bar + 0.055) / 1.055) ** 2.4)
    lightness = 116 * numpy.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16
    steps = numpy.diff(lightness[::16])
    assert lightness[0] < 20 and lightness[-1] > 85 and steps.min() > 0.6 * steps.mean(), steps


def check_spy():
    """The dots are the entries of the matrix."""
    svg = Svg("spy.svg")
    svg.has("poisson:12x12", "144 x 144, 672 entries", "row", "column")
    ((place, image),) = svg.images()
    full = numpy.zeros((144, 144), bool)
    for i in range(144):
        for j in [i] + [i + 12] * (i < 132) + [i + 1] * (i % 12 < 11):
            full[i, j] = full[j, i] = True
    assert ((image < 255).any(axis=2) == full).all() and place[2] == place[3]


def check_eval():
    """A value is drawn: a vector as a line over its indices, an array as an image."""
    with h5py.File("data.h5") as file:
        reals, small = file["reals"][()], file["small"][()]
    svg = Svg("vector.svg")
    svg.has("y = sqrt(x); y + 1", "index", "value", "0")
    curve, y = max(svg.lines(LINES[0]), key=len), 1 + numpy.sqrt(reals)
    assert len(curve) > 2000
    left, right = curve[[0, -1], 0]
    places = left + (right - left) / (len(y) - 1) * numpy.arange(len(y))
    high, low = curve[:, 1].min(), curve[:, 1].max()
    for i in list(range(20)) + [y.argmin(), y.argmax()]:
        at = (abs(curve[:, 0] - places[i]) < 0.35) & (abs(low + (high - low) * (y[i] - y.min()) / numpy.ptp(y) - curve[:, 1]) < 0.1)
        assert at.any(), i
    ((_, image), _) = Svg("array.svg").images()
    assert abs(image[..., 0] - 255 * (small - small.min()) / numpy.ptp(small)).max() <= 0.51
    (_, image) = Svg("named.svg").images()[0]
    assert abs(255 - image[..., 0] - 255 * (small - small.min()) / numpy.ptp(small)).max() <= 0.51
    with h5py.File("eval.h5") as file:
        assert (file["last"][()] == 2 * -small).all()


def check_sizes():
    """PNG files have the pixels that are asked for, and say how many are an inch; letters are there."""
    for name, width, height, wanted in (("solve.png", 1200, 720, 150), ("print.png", 1050, 750, 300)):
        pixels, dpi = png(name)
        assert pixels.shape == (height, width, 3) and abs(dpi - wanted) < 0.1, (name, pixels.shape, dpi)
        assert near(pixels, LINES[0]).sum() > 200 and near(pixels, "#262626", 8).sum() > 500
        assert (pixels[:, :5] == 255).all() and (pixels[-5:] == 255).all()
        title = near(pixels[:int(0.35 * dpi)], "#262626", 60)
        assert title.sum() > 200, title.sum()
    own, _ = png("own.png")  # drawn without cairo
    other, _ = png("solve.png")
    assert own.shape == other.shape
    curve = [near(p, LINES[0], 40) for p in (own, other)]
    assert curve[0].sum() > 200 and (curve[0] & curve[1]).sum() > 0.8 * curve[1].sum()
    assert near(own[:50], "#262626", 60).sum() > 200
    assert Svg("size.svg").size == (252, 180)


def check_odd():
    """Odd names stay well-formed XML, and long ones stay on the page."""
    name = 'a<b>&"\'é'
    assert any(name in text for text in Svg("odd.svg").texts), Svg("odd.svg").texts
    (title,) = [text for text in Svg("long.svg").texts if "xxx" in text]
    assert "…" in title and len(title) < 120, title
    assert any("?" in text for text in Svg("bytes.svg").texts)


for name in open(sys.argv[1]).read().split():
    function = globals()["check_" + name]
    try:
        function()
    except Exception as error:
        print(f"not ok - {function.__doc__} ({name}: {type(error).__name__} {error})".replace("\n", " "))
    else:
        print("ok -", function.__doc__)
