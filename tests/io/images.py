# SPDX-License-Identifier: BSD-3-Clause
"""Images in TIFF and FITS files: what is read is what the bytes say, which this test writes itself, and what tifffile,
Pillow and astropy wrote, where they are installed; of any dtype, order and storage, whole or in parts, in any layout.
What is damaged is said in one sentence, with the same status on all ranks."""

import ctypes
import io
import os

from file_structs import Selection
import maniple as mp
from image_files import fits_bytes, fits_hdus, tiff_bytes, tiff_pages
import numpy as np

try:
    from astropy.io import fits
except ImportError:
    fits = None
try:
    from PIL import Image
except ImportError:
    Image = None

rng = mp.random()
tiff_path, fits_path = mp.scratch("a.tif"), mp.scratch("a.fits")
ALL = mp.MNP_TIFF_ALL_PAGES
FORMAT, UNSUPPORTED = "MNP_ERR_FORMAT", "MNP_ERR_UNSUPPORTED"


class TiffInfo(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 8),
                ("pages", ctypes.c_int64), ("tiled", ctypes.c_bool), ("rows", ctypes.c_int64),
                ("columns", ctypes.c_int64), ("compression", ctypes.c_char * 24)]


class FitsInfo(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 8), ("bitpix", ctypes.c_int),
                ("hdu", ctypes.c_int), ("name", ctypes.c_char * 72), ("compression", ctypes.c_char * 24),
                ("scale", ctypes.c_double), ("zero", ctypes.c_double)]


def put(path, content):
    """The file's bytes, from rank 0."""
    if mp.rank == 0:
        with open(path, "wb") as file:
            file.write(content)
    mp.agree(None)


def there(function, path, *arguments):
    """Whether the build has the library."""
    try:
        getattr(mp, function)(path, *arguments)
    except mp.Error as error:
        return "this build of Maniple has no" not in error.message
    return True


def wrong_reads(read, a):
    """What is wrong with reads of an image, whole and in parts; read(selection, layout)."""
    wrongs = [mp.difference(read(None, mp.random_layout(rng, a.shape)), a)]
    for _ in range(2):
        key = tuple(slice(int(rng.integers(0, n)), None, int(rng.choice([1, 1, 2, -1, -3]))) if rng.random() < 0.8
                    else int(rng.integers(0, n)) for n in a.shape)
        part = a[key]
        text = Selection(mp.index_text(key).encode(), None, None)
        wrong = mp.difference(read(text, mp.random_layout(rng, np.shape(part))), part)
        wrongs.append(wrong and f"[{mp.index_text(key)}] {wrong}")
    return [wrong for wrong in wrongs if wrong]


# ---- TIFF ----

def values(shape, dtype):
    numbers = rng.integers(-100 if dtype[0] != "u" else 0, 100, shape)
    return (numbers + 1j * numbers[::-1] if dtype[0] == "c" else numbers).astype(dtype)


def test_tiff():
    def read(selection, layout):
        return mp.tiff_read(tiff_path, page, selection, layout)

    for dtype in ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]:
        wrongs = []
        for kind in range(4):
            shape = [(37, 45), (20, 33, 3), (7, 50, 2), (1, 1), (64, 5, 4)][int(rng.integers(0, 5))]
            count, page = int(rng.choice([1, 1, 3])), ALL
            options = {"order": str(rng.choice(["<", ">"])), "big": bool(rng.random() < 0.3),
                       "compression": int(rng.choice([1, 8, 32773])), "planes": len(shape) == 3 and rng.random() < 0.5}
            options |= {"tile": (16, 32)} if kind % 2 else {"strip": int(rng.choice([1, 5, 64]))}
            if options["compression"] == 32773 and kind % 2:
                options["compression"] = 8
            pages = [values(shape, dtype) for _ in range(count)]
            put(tiff_path, tiff_bytes(pages, **options))
            found = wrong_reads(read, np.array(pages) if count > 1 else pages[0])
            if count > 1:
                page = 1
                found += wrong_reads(read, pages[1])
            wrongs += [f"{shape} x {count}, {options}: {wrong}" for wrong in found]
        mp.ok(not wrongs, f"TIFF, {dtype}" + "".join("\n" + wrong for wrong in wrongs[:3]))

    page = ALL
    large = values((700, 900), "f8")
    put(tiff_path, tiff_bytes([large], strip=700))
    mp.ok(not wrong_reads(read, large), "one strip of all rows")
    put(tiff_path, tiff_bytes([large], strip=700, compression=8))
    mp.ok(not wrong_reads(read, large), "compressed too")
    info = TiffInfo()
    small = values((30, 20), "u2")
    put(tiff_path, tiff_bytes([small] * 3, tile=(16, 16), compression=8))
    mp.tiff_inspect(tiff_path, ALL, info_p=info)
    mp.ok((mp.dtype_name(info.dtype), list(info.shape[:info.ndim]), info.pages, info.tiled, info.rows, info.columns,
           info.compression) == ("uint16", [3, 30, 20], 3, True, 16, 16, b"deflate"), "what the head says")
    put(tiff_path, tiff_bytes([small, small[:15, :10]], tags=[(254, ("I", [1]))]))
    mp.check("the first page is read even if it is a reduced one, the second is skipped",
             mp.tiff_read(tiff_path, ALL, None, None), small)
    mp.fails("MNP_ERR_ARG", "no page 1: it has 1", mp.tiff_read, tiff_path, 1, None, None)
    mask = {1: [(254, ("I", [4])), (258, ("H", [1]))]}
    put(tiff_path, tiff_bytes([small, small.astype("u1"), small + 1], tags_of=mask))
    mp.check("a mask of 1 bit between pages is skipped, though it cannot be read",
             mp.tiff_read(tiff_path, ALL, None, None), np.array([small, small + 1]))
    mp.check("and the page after it has the next number", mp.tiff_read(tiff_path, 1, None, None), small + 1)
    put(tiff_path, tiff_bytes([small, small[:15]]))
    mp.fails(UNSUPPORTED, "the pages of", mp.tiff_read, tiff_path, ALL, None, None)
    mp.check("one of two that differ", mp.tiff_read(tiff_path, 1, None, None), small[:15])
    mp.fails("MNP_ERR_ARG", "no page 2: it has 2", mp.tiff_read, tiff_path, 2, None, None)
    put(tiff_path, tiff_bytes([small], tags=[(258, ("H", [12]))]))
    mp.fails(UNSUPPORTED, "elements of 12 bits", mp.tiff_read, tiff_path, ALL, None, None)
    put(tiff_path, tiff_bytes([small], tags=[(259, ("H", [34712]))]))
    mp.fails(UNSUPPORTED, "compressed by method 34712 (JPEG 2000)", mp.tiff_read, tiff_path, ALL, None, None)
    with_pillow(read)
    damaged(lambda: mp.tiff_read(tiff_path, ALL, None, None), tiff_path,
            [tiff_bytes([small] * 2, strip=4, compression=8), tiff_bytes([small] * 2, tile=(16, 16)),
             tiff_bytes([small], order=">", big=True, strip=3)])
    for content in (b"", b"II", b"\x89PNG\r\n" * 20):
        put(tiff_path, content)
        mp.fails(FORMAT, "is not a TIFF file", mp.tiff_read, tiff_path, ALL, None, None)
    put(tiff_path, tiff_bytes([small])[:-150])
    mp.fails(FORMAT, "is damaged", mp.tiff_read, tiff_path, ALL, None, None)


def with_pillow(read):
    """Compressions with predictors and colour spaces, as Pillow's libtiff writes them."""
    if Image is None:
        mp.skip("TIFF files of Pillow", "there is no Pillow")
        return
    wrongs = []
    colours = rng.integers(0, 256, (40, 50, 3)).astype("u1")
    for options in ({"compression": "tiff_lzw"}, {"compression": "tiff_lzw", "tiffinfo": {317: 2}},
                    {"compression": "tiff_adobe_deflate", "tiffinfo": {317: 2}}, {"compression": "packbits"}):
        stream = io.BytesIO()
        Image.fromarray(colours).save(stream, "TIFF", **options)
        put(tiff_path, stream.getvalue())
        wrongs += [f"{options}: {wrong}" for wrong in wrong_reads(read, colours)]
    stream = io.BytesIO()
    Image.fromarray(colours).save(stream, "TIFF", compression="jpeg")
    put(tiff_path, stream.getvalue())
    theirs = np.asarray(Image.open(stream))
    if mp.difference(mp.tiff_read(tiff_path, ALL, None, None), theirs):
        wrongs.append("JPEG")
    mp.ok(not wrongs, "TIFF files of Pillow" + "".join("\n" + wrong for wrong in wrongs[:3]))


# ---- FITS ----

def test_fits():
    hdu = None

    def read(selection, layout):
        return mp.fits_read(fits_path, hdu, selection, layout)

    shapes = [(37, 45), (1000,), (5, 6, 7), (2, 3, 4, 5), (1, 1)]
    for dtype in ["u1", "i2", "i4", "i8", "f4", "f8"]:
        wrongs = []
        for _ in range(3):
            raw = values(shapes[int(rng.integers(0, len(shapes)))], dtype)
            put(fits_path, fits_bytes(raw, True))
            wrongs += wrong_reads(read, raw)
        if raw.dtype.kind != "f":  # the other sign
            bits = raw.dtype.itemsize * 8
            other = raw.astype(raw.dtype.str.replace("u", "x").replace("i", "u").replace("x", "i"))
            flipped = (other.view(f"u{bits // 8}") ^ np.array(1 << (bits - 1), f"u{bits // 8}")).view(other.dtype)
            put(fits_path, fits_bytes(raw, True, BZERO=-128 if bits == 8 else 1 << (bits - 1), BSCALE=1))
            wrongs += wrong_reads(read, flipped)
        wide = np.dtype("f4" if dtype in ("u1", "i2", "f4") else "f8")
        scaled = raw.astype(wide)
        scaled *= wide.type(0.25)
        scaled += wide.type(3)
        keywords = {"BSCALE": 0.25, "BZERO": 3.0}
        if raw.dtype.kind != "f":
            blank = int(raw.flat[0])
            keywords["BLANK"] = blank
            scaled[raw == blank] = np.nan
        put(fits_path, fits_bytes(raw, True, **keywords))
        wrongs += wrong_reads(read, scaled)
        if fits:
            with fits.open(fits_path) as file:
                wrong = mp.difference(scaled, np.array(file[0].data).astype(wide)) if blank_is_known(keywords) else ""
                wrongs += [f"astropy: {wrong}"] if wrong else []
        mp.ok(not wrongs, f"FITS, {dtype}" + "".join("\n" + wrong for wrong in wrongs[:3]))

    image, other = values((9, 11), "i2"), values((4,), "f4")
    table = fits_bytes(values((3, 8), "u1"), False, TFIELDS=1, TFORM1="8B").replace(b"'IMAGE   '", b"'BINTABLE'")
    put(fits_path, fits_bytes(None, True) + fits_bytes(image, False, EXTNAME="SCI") + table
        + fits_bytes(other, False, EXTNAME="SCI", EXTVER=2))
    for hdu, want in ((None, image), ("1", image), ("SCI", image), ("sci,2", other), ("3", other)):
        mp.check(f"HDU {hdu}", mp.fits_read(fits_path, hdu, None, None), want)
    info = FitsInfo()
    mp.fits_inspect(fits_path, "SCI", info_p=info)
    mp.ok((mp.dtype_name(info.dtype), list(info.shape[:info.ndim]), info.bitpix, info.hdu, info.name, info.compression)
          == ("int16", [9, 11], 16, 1, b"SCI", b"none"), "what the head says")
    for hdu, words in (("0", "HDU 0 of"), ("2", "a table, not an image"), ("4", "has no HDU 4: it has 4"),
                       ("ERR", "no HDU that is called 'ERR'"), ("SCI,7", "no HDU that is called"), ("", "no HDU")):
        mp.fails("MNP_ERR_ARG", words, mp.fits_read, fits_path, hdu, None, None)
    hdu = None
    compressed(read)
    good = fits_bytes(None, True) + fits_bytes(image, False, EXTNAME="SCI")
    damaged(lambda: mp.fits_read(fits_path, None, None, None), fits_path, [good, fits_bytes(image, True, BZERO=2.0)])
    for content in (b"", b"SIMPLE", b"\x89PNG\r\n" * 20):
        put(fits_path, content)
        mp.fails(FORMAT, "is not a FITS file", mp.fits_read, fits_path, None, None, None)
    put(fits_path, good[:2 * 2880 + 100])
    mp.fails(FORMAT, "is truncated", mp.fits_read, fits_path, "1", None, None)


def blank_is_known(keywords):
    """Astropy takes a BLANK of 0 for none."""
    return keywords.get("BLANK", 1) != 0


def compressed(read):
    if fits is None:
        mp.skip("compressed FITS images", "there is no astropy")
        return
    wrongs, contents = [], []
    floats = rng.normal(size=(60, 70)).astype("f4")
    floats[3, 5:9] = np.nan
    for data, options in ((values((60, 70), "i2"), {"compression_type": "RICE_1"}),
                          (values((60, 70), "u1"), {"compression_type": "GZIP_1", "tile_size": (16, 32)}),
                          (values((6, 20, 30), "i4"), {"compression_type": "RICE_1", "tile_size": (10, 5, 2)}),
                          (rng.integers(0, 65536, (40, 50)).astype("u2"), {"compression_type": "RICE_1"}),
                          (floats, {"compression_type": "RICE_1"}),
                          (floats.astype("f8"), {"compression_type": "GZIP_2", "quantize_level": 0})):
        stream = io.BytesIO()
        fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(data, **options)]).writeto(stream)
        contents.append(stream.getvalue())
        put(fits_path, contents[-1])
        with fits.open(fits_path) as file:
            theirs = np.array(file[1].data)
        theirs = theirs.astype(theirs.dtype.newbyteorder("="))
        wrongs += [f"{data.dtype} {options}: {wrong}" for wrong in wrong_reads(read, theirs)]
    mp.ok(not wrongs, "compressed FITS images" + "".join("\n" + wrong for wrong in wrongs[:3]))
    damaged(lambda: mp.fits_read(fits_path, None, None, None), fits_path, contents)
    stream = io.BytesIO()
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(values((60, 70), "i2"), compression_type="HCOMPRESS_1")]).writeto(
        stream)
    put(fits_path, stream.getvalue())
    mp.fails(UNSUPPORTED, "compressed by HCOMPRESS_1, which is not read", mp.fits_read, fits_path, None, None, None)


# ---- writing ----

class TiffOptions(ctypes.Structure):
    _fields_ = [("last", ctypes.c_int), ("bigtiff", ctypes.c_bool)]


def take(path):
    """The file's bytes, which all ranks wait for."""
    mp.agree(None)
    with open(path, "rb") as file:
        return file.read()


def written(a, write):
    """Write the values in any layout, as an array or a view of one."""
    write(mp.spread(rng, a) if a.size else mp.array(a))


def tiff_difference(a, pages, samples):
    """What of a written file is not as the array."""
    full = a.reshape((len(pages),) + (a.shape if samples else a.shape + (1,))[-3:])
    wrongs = [mp.difference(found.astype(found.dtype.newbyteorder("=")), page)
              for (_, found), page in zip(pages, full)]
    colour = [{1: 1, 3: 2, 4: 2}.get(full.shape[-1], 1) for _ in pages]
    if [tags[262][0] for tags, _ in pages] != colour or any(
            len(tags.get(338, ())) != max(0, full.shape[-1] - (3 if full.shape[-1] in (3, 4) else 1)) for tags, _ in pages):
        wrongs.append("the colours of samples")
    if any(tags[254][0] != (2 if len(pages) > 1 else 0) or not tags[305][0].startswith(b"maniple ") for tags, _ in pages):
        wrongs.append("what is said about pages")
    return next(filter(None, wrongs), "")


def test_tiff_write(read_back):
    cases = [("u1", (37, 45), None), ("u1", (20, 33, 3), None), ("u2", (2, 7, 9, 4), None), ("u1", (3, 5, 7), None),
             ("u4", (5, 6, 3), None), ("f4", (300, 1100), None), ("f8", (3, 40, 50), None), ("u1", (8, 9, 3), False),
             ("f4", (8, 9, 3), True), ("i2", (2, 5, 6, 5), True), ("i8", (9, 8, 2), True), ("c8", (6, 11), None),
             ("c16", (7, 5), None), ("f2", (4, 6), None), ("i1", (1, 1), None), ("i4", (2, 700, 401), None),
             ("u8", (6, 4), False)]
    for dtype, shape, samples in cases:
        a = values(shape, dtype)
        big = len(shape) % 2 == 0
        options = TiffOptions({None: 0, False: 1, True: 2}[samples], big) if big or samples is not None else None
        written(a, lambda x, options=options: mp.tiff_write(x, tiff_path, options))
        last = samples if samples is not None else (len(shape) > 2 and shape[-1] in (3, 4) and dtype in ("u1", "u2"))
        content = take(tiff_path)
        pages = tiff_pages(content)
        wrong = tiff_difference(a, pages, last)
        if content[2:4] not in ((b"\0+", b"+\0") if big else (b"\0*", b"*\0")):
            wrong = "a classic file" if big else "a BigTIFF file"
        if len(pages) != (shape[0] if len(shape) - last == 3 else 1):
            wrong = f"{len(pages)} pages"
        if not wrong and read_back:
            wrong = mp.difference(mp.tiff_read(tiff_path, ALL, None, None), a)
        mp.ok(not wrong, f"TIFF written, {dtype} {shape} samples {samples}" + (": " + wrong if wrong else ""))
    good = take(tiff_path)
    for status, words, a, options in (
            (UNSUPPORTED, "TIFF files of bool are not written", np.ones((3, 4), bool), None),
            ("MNP_ERR_ARG", "this array has 1 dimension", np.ones(3), None),
            ("MNP_ERR_ARG", "this array has 2 dimensions", np.ones((3, 4)), TiffOptions(2)),
            ("MNP_ERR_ARG", "this array has 4 dimensions", np.ones((3, 4, 5, 3)), None),
            ("MNP_ERR_ARG", "this array is empty", np.ones((3, 0)), None)):
        mp.fails(status, words, mp.tiff_write, mp.array(a), tiff_path, options)
    mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "the folder", mp.tiff_write, mp.array(np.ones((3, 4))), "/nowhere/a.tif", None)
    mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "the folder", mp.tiff_check_write, "/nowhere/a.tif")
    mp.ok(take(tiff_path) == good, "a failure leaves the old file")


def test_fits_write(read_back):
    for dtype, shape in (("u1", (37, 45)), ("i2", (1000,)), ("i4", (5, 6, 7)), ("i8", (2, 3, 4, 5)), ("f4", (30, 90)),
                         ("f8", (1, 1)), ("i1", (9, 80)), ("u2", (16, 90)), ("u4", (4, 5)), ("u8", (360,)),
                         ("f4", (0, 5))):
        kind = np.dtype(dtype)
        a = values(shape, dtype)
        if kind.kind in "iu" and a.size > 1:
            a.flat[0], a.flat[-1] = np.iinfo(kind).min, np.iinfo(kind).max
        if kind.kind == "f" and a.size > 4:
            a.flat[:3] = np.nan, -np.inf, -0.0
        written(a, lambda x: mp.fits_write(x, fits_path, None))
        hdus = fits_hdus(take(fits_path))
        found = hdus[0][1]
        wrong = mp.difference(found.astype(found.dtype.newbyteorder("=")), a) if len(hdus) == 1 else "HDUs"
        if not wrong and ("BZERO" in hdus[0][0]) != (dtype in ("i1", "u2", "u4", "u8")):
            wrong = "BZERO"
        if not wrong and read_back:
            wrong = mp.difference(mp.fits_read(fits_path, "0", None, None), a)
        mp.ok(not wrong, f"FITS written, {dtype} {shape}" + (": " + wrong if wrong else ""))

    def extend(name, a):
        written(a, lambda x: mp.fits_write(x, fits_path, name))
        return take(fits_path)

    images = [values((9, 11), "i2"), values((40, 50), "f4"), values((7, 100), "u2"), values((3,), "f8")]
    mp.agree(None)
    if mp.rank == 0:
        os.unlink(fits_path)
    mp.agree(None)
    one = extend("SCI", images[0])
    two = extend("ERR", images[1])
    three = extend("sci", images[2])
    four = extend("it is []", images[3])
    empty = fits_hdus(one)[0]
    mp.ok(empty[1] is None and empty[0]["EXTEND"] == "T", "a new file of an extension has an empty primary HDU")
    mp.ok(two[:len(one)] == one, "an extension is added behind what there was")
    mp.ok(three[:2880] == two[:2880] and three[-len(two) + len(one):] == two[len(one):],
          "one of that name is replaced, and others are kept")
    want = [("sci", images[2]), ("ERR", images[1]), ("it is []", images[3])]
    found = [(known["EXTNAME"], array) for known, array in fits_hdus(four)[1:]]
    mp.ok([name for name, _ in want] == [name for name, _ in found] and all(
        np.array_equal(a, b) for (_, a), (_, b) in zip(want, found)), "three extensions")
    if read_back:
        mp.check("an extension is read", mp.fits_read(fits_path, "ERR", None, None), images[1])
    extend_others()
    x = mp.array(np.ones((3, 4)))
    put(fits_path, four)
    for status, words, array, name in (
            (UNSUPPORTED, "FITS has no images of complex64", mp.array(np.ones((3, 4), "c8")), None),
            (UNSUPPORTED, "FITS has no images of bool", mp.array(np.ones((3, 4), bool)), "SCI"),
            ("MNP_ERR_ARG", "this array has none", mp.array(np.array(1.0)), None),
            ("MNP_ERR_ARG", "'3' cannot be the EXTNAME", x, "3"), ("MNP_ERR_ARG", "'' cannot be", x, ""),
            ("MNP_ERR_ARG", "'primary' cannot be", x, "primary"), ("MNP_ERR_ARG", "'A,2' cannot be", x, "A,2")):
        mp.fails(status, words, mp.fits_write, array, fits_path, name)
    mp.ok(take(fits_path) == four, "a failure leaves the old file")
    put(fits_path, four[:-2880])
    mp.fails(FORMAT, "is truncated or damaged", mp.fits_write, x, fits_path, "NEW")
    mp.fails(FORMAT, "is truncated or damaged", mp.fits_check_write, fits_path, "NEW")
    put(fits_path, b"II*" * 1000)
    mp.fails(FORMAT, "is not a FITS file", mp.fits_write, x, fits_path, "NEW")


def extend_others():
    """Files of others get an extension: with tables, random groups, records behind the HDUs, a last block that ends."""
    image, other = values((9, 11), "i2"), values((40, 50), "f4")
    table = fits_bytes(values((3, 8), "u1"), False, TFIELDS=1, TFORM1="8B", EXTNAME="TAB").replace(b"'IMAGE   '",
                                                                                                  b"'BINTABLE'")
    groups = fits_bytes(np.zeros((4, 3, 0), "f4"), True, GROUPS=True, PCOUNT=2, GCOUNT=50)
    groups += bytes(-(-4 * 50 * (2 + 12) // 2880) * 2880)
    x = mp.array(other)
    for words, before, behind in (("a table", fits_bytes(image, True, EXTNAME="FIRST") + table, b""),
                                  ("random groups", groups, b""),
                                  ("records behind", fits_bytes(image, True), b"record  " * 360)):
        put(fits_path, before + behind)
        mp.fits_write(x, fits_path, "NEW")
        new = take(fits_path)
        good = new[:len(before)] == before and (not behind or new.endswith(behind))
        head, data = new[len(before):len(before) + 2880], new[len(before) + 2880:len(new) - len(behind)]
        good = good and head.startswith(b"XTENSION= 'IMAGE   '") and b"'NEW     '" in head
        mp.ok(good and data.rstrip(b"\0") == other.astype(">f4").tobytes().rstrip(b"\0"), f"{words} before an extension")
    put(fits_path, groups)
    if there("fits_read", fits_path, None, None, None):
        mp.fails(UNSUPPORTED, "random groups", mp.fits_read, fits_path, None, None, None)
    put(fits_path, fits_bytes(image, True, EXTNAME="FIRST") + table)
    mp.fails("MNP_ERR_ARG", "the primary HDU", mp.fits_write, x, fits_path, "first")
    mp.fails("MNP_ERR_ARG", "is no image", mp.fits_write, x, fits_path, "TAB")
    short = fits_bytes(image, True)
    put(fits_path, short[:2880 + image.nbytes])
    mp.fits_write(x, fits_path, "NEW")
    mp.ok(take(fits_path)[:len(short)] == short, "a last block that ends early is filled")


# ---- damage ----


def damaged(read, path, contents):
    """Files that end early or have other bytes: read as something, or one sentence."""
    wrongs = []
    for content in contents:
        for trial in range(40 if mp.FULL else 12):
            broken = bytearray(content)
            if trial % 3 == 0:
                broken = broken[:int(rng.integers(8, len(content)))]
            for at in rng.integers(8, len(broken), int(rng.choice([1, 4, 40]))) if trial % 3 else []:
                broken[int(at)] = int(rng.integers(0, 256))
            put(path, bytes(broken))
            try:
                read()
            except mp.Error as error:
                if not error.message or "\n" in error.message:
                    wrongs.append(repr(error.message))
    mp.ok(not wrongs, f"{os.path.basename(path)}: damage gives one sentence" + "".join("\n" + w for w in wrongs[:3]))


put(tiff_path, b"")
put(fits_path, fits_bytes(None, True))
reads_tiff, reads_fits = there("tiff_read", tiff_path, ALL, None, None), there("fits_read", fits_path, None, None, None)
test_tiff_write(reads_tiff)
test_fits_write(reads_fits)
if reads_tiff:
    test_tiff()
else:
    mp.skip("TIFF", "this build has no libtiff")
if reads_fits:
    test_fits()
else:
    mp.skip("FITS", "this build has no CFITSIO")
mp.done()
