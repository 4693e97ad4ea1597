# SPDX-License-Identifier: BSD-3-Clause
"""TIFF and FITS files as bytes, written without any library for them, for tests that read such files."""

import struct
import zlib

import numpy as np

# ---- TIFF: after Adobe's TIFF 6.0 and the description of BigTIFF ----

FORMATS = {"u": 1, "i": 2, "f": 3, "c": 6}


def pack_bits(raw):
    """PackBits without any repetition."""
    return b"".join(bytes([len(raw[i:i + 128]) - 1]) + raw[i:i + 128] for i in range(0, len(raw), 128))


def segments(page, tile, strip):
    """The tiles or strips of a plane, rows x columns x samples."""
    if tile is None:
        return [page[i:i + strip] for i in range(0, len(page), strip)]
    down, across = (-(-n // t) * t for n, t in zip(page.shape, tile))
    padded = np.zeros((down, across, page.shape[2]), page.dtype)
    padded[:page.shape[0], :page.shape[1]] = page
    return [padded[i:i + tile[0], j:j + tile[1]] for i in range(0, down, tile[0]) for j in range(0, across, tile[1])]


def tiff_bytes(pages, order="<", big=False, tile=None, strip=None, planes=False, compression=1, tags=(), tags_of=None):
    """A file of these pages, of rows x columns (x samples); tags of all pages, and those of some by their numbers."""
    word, head = ("Q", struct.pack(order + "2sHHHQ", b"II" if order == "<" else b"MM", 43, 8, 0, 0)) if big else \
        ("I", struct.pack(order + "2sHI", b"II" if order == "<" else b"MM", 42, 0))
    data = bytearray(head)
    link = len(head) - struct.calcsize(word)
    for number, page in enumerate(pages):
        rows, columns = page.shape[:2]
        page = page.reshape(rows, columns, -1)
        samples = page.shape[2]
        places = []
        for plane in ([page[..., k:k + 1] for k in range(samples)] if planes else [page]):
            for segment in segments(plane, tile, strip or rows):
                raw = segment.astype(segment.dtype.newbyteorder(order)).tobytes()
                raw = zlib.compress(raw) if compression == 8 else raw
                if compression == 32773:
                    raw = b"".join(pack_bits(row) for row in np.frombuffer(raw, "u1").reshape(len(segment), -1)
                                   .astype("u1").view(f"V{len(raw) // len(segment)}").ravel().tolist())
                data += b"\0" * (len(data) % 2)
                places.append((len(data), len(raw)))
                data += raw
        offsets, counts = zip(*places)
        entries = {256: ("I", [columns]), 257: ("I", [rows]), 258: ("H", [page.dtype.itemsize * 8] * samples),
                   259: ("H", [compression]), 262: ("H", [2 if samples == 3 else 1]), 277: ("H", [samples]),
                   284: ("H", [2 if planes else 1]), 339: ("H", [FORMATS[page.dtype.kind]] * samples)}
        if tile is None:
            entries |= {273: (word, offsets), 278: ("I", [strip or rows]), 279: (word, counts)}
        else:
            entries |= {322: ("I", [tile[1]]), 323: ("I", [tile[0]]), 324: (word, offsets), 325: (word, counts)}
        if samples not in (1, 3):
            entries[338] = ("H", [0] * (samples - 1))
        entries |= dict(tags) | dict((tags_of or {}).get(number, ()))
        fields = []
        for tag, (kind, values) in sorted(entries.items()):
            packed = struct.pack(f"{order}{len(values)}{kind}", *values)
            if len(packed) > struct.calcsize(word):
                data += b"\0" * (-len(data) % 8)
                packed, at = struct.pack(order + word, len(data)), packed
                data += at
            fields.append(struct.pack(order + "HH" + word, tag, {"H": 3, "I": 4, "Q": 16}[kind], len(values))
                          + packed.ljust(struct.calcsize(word), b"\0"))
        data += b"\0" * (-len(data) % 8)
        struct.pack_into(order + word, data, link, len(data))
        data += struct.pack(order + ("Q" if big else "H"), len(fields)) + b"".join(fields)
        link = len(data)
        data += struct.pack(order + word, 0)
    return bytes(data)


# ---- FITS: after the FITS standard 4.0 ----

def card(keyword, value):
    text = f"'{value}'" if isinstance(value, str) else "T" if value is True else "F" if value is False else repr(value)
    return f"{keyword:8}= {text:>20}".ljust(80)


def fits_bytes(raw, first, **keywords):
    """A header and data unit of big-endian elements, or without any."""
    bitpix = 8 if raw is None else raw.dtype.itemsize * (-8 if raw.dtype.kind == "f" else 8)
    shape = () if raw is None else raw.shape[::-1]
    cards = [card("SIMPLE", True) if first else card("XTENSION", "IMAGE   "), card("BITPIX", bitpix),
             card("NAXIS", len(shape))]
    cards += [card(f"NAXIS{i + 1}", n) for i, n in enumerate(shape)]
    cards += [] if first else [card("PCOUNT", 0), card("GCOUNT", 1)]
    cards += [card(key, value) for key, value in keywords.items()] + ["END".ljust(80)]
    head = "".join(cards).encode()
    data = b"" if raw is None else raw.astype(raw.dtype.newbyteorder(">")).tobytes()
    return head + b" " * (-len(head) % 2880) + data + b"\0" * (-len(data) % 2880)
