# SPDX-License-Identifier: BSD-3-Clause
"""TIFF and FITS files as bytes, written and read without any library for them, for tests of such files."""

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


# ---- reading ----

def tiff_pages(data):
    """The pages of a file whose elements are not compressed: each one its tags and its array of rows x columns x
    samples.  What the standard wants of such a file is asserted."""
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    big = {42: False, 43: True}[struct.unpack_from(order + "H", data, 2)[0]]
    word, size = ("Q", 8) if big else ("I", 4)
    assert not big or struct.unpack_from(order + "HH", data, 4) == (8, 0)
    at, pages = struct.unpack_from(order + word, data, size)[0], []
    while at:
        assert at % 2 == 0, "heads begin at even places"
        count = struct.unpack_from(order + ("Q" if big else "H"), data, at)[0]
        at += 8 if big else 2
        tags = {}
        for _ in range(count):
            tag, kind, number = struct.unpack_from(order + "HH" + word, data, at)
            assert not tags or tag > max(tags), "tags are in order"
            letter, times = {2: ("s", 1), 3: ("H", 1), 4: ("I", 1), 5: ("I", 2), 16: ("Q", 1)}[kind]
            form = f"{order}{number * times}{letter}"
            place = at + 4 + size
            if struct.calcsize(form) > size:
                place = struct.unpack_from(order + word, data, place)[0]
                assert place % 2 == 0, "values begin at even places"
            tags[tag] = struct.unpack_from(form, data, place)
            at += 4 + 2 * size
        at = struct.unpack_from(order + word, data, at)[0]
        (columns,), (rows,), (samples,), (strip,) = (tags[tag] for tag in (256, 257, 277, 278))
        assert tags[259] == (1,) and tags[284] == (1,) and tags[282] == tags[283] == (1, 1)
        assert len(tags[273]) == len(tags[279]) == -(-rows // strip) and len(tags[258]) == len(tags[339]) == samples
        raw = b"".join(data[place:place + length] for place, length in zip(tags[273], tags[279]))
        letter = {number: letter for letter, number in FORMATS.items()}[tags[339][0]]
        dtype = np.dtype(f"{order}{letter}{tags[258][0] // 8}")
        assert all(length == min(strip, rows - i * strip) * columns * samples * dtype.itemsize
                   for i, length in enumerate(tags[279]))
        pages.append((tags, np.frombuffer(raw, dtype).reshape(rows, columns, samples)))
    return pages


def fits_hdus(data):
    """The HDUs of a file: each one its keywords with their values as text, and its array with the BZERO of integers of
    the other sign, or None.  What the standard wants of headers is asserted."""
    hdus, at = [], 0
    assert len(data) % 2880 == 0, "a file has whole blocks"
    while at < len(data):
        keywords, end = [], False
        while not end:
            text = data[at:at + 2880].decode("ascii")
            at += 2880
            for begin in range(0, 2880, 80):
                line = text[begin:begin + 80]
                assert not end or not line.strip(), "nothing but spaces follows END"
                end = end or line == "END".ljust(80)
                if line[8:10] == "= ":
                    value = line[10:].split("'")[1].rstrip() if line[10] == "'" else line[10:30].strip()
                    assert line[10] == "'" or line[29] != " ", "numbers end in column 30"
                    keywords.append((line[:8].rstrip(), value))
        names, known = [name for name, _ in keywords], dict(keywords)
        axes = int(known["NAXIS"])
        assert names[:3 + axes] == ["XTENSION" if hdus else "SIMPLE", "BITPIX", "NAXIS"] + [
            f"NAXIS{i + 1}" for i in range(axes)], names
        assert not hdus or names[3 + axes:5 + axes] == ["PCOUNT", "GCOUNT"]
        bits, shape = int(known["BITPIX"]), [int(known[f"NAXIS{axes - i}"]) for i in range(axes)]
        dtype = np.dtype(f">{'f' if bits < 0 else 'u' if bits == 8 else 'i'}{abs(bits) // 8}")
        count = int(np.prod(shape)) if axes else 0
        array = np.frombuffer(data, dtype, count, at).reshape(shape) if axes else None
        stop = at + count * dtype.itemsize
        at = stop + -stop % 2880
        assert not any(data[stop:at]), "zeros fill the last block"
        if "BZERO" in known and array is not None:
            wide = array.astype(object) + int(known["BZERO"])
            array = wide.astype("i1" if bits == 8 else f"u{bits // 8}")
        hdus.append((known, array))
    return hdus
