# SPDX-License-Identifier: BSD-3-Clause
"""Files between h5py and Maniple.

h5py makes datasets of all kinds, tests/io/h5_copy reads each into an array and writes it to another file, and h5py
reads that.  Then files that are wrong, and what replacing a dataset leaves of a file.
"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

MIB = 1 << 20
PATTERN = np.arange(1000) * 7 % 100


class Tap:
    def __init__(self):
        self.points = self.failures = 0

    def check(self, good, text, details=""):
        self.points += 1
        self.failures += not good
        print(f"{'' if good else 'not '}ok {self.points} - {text}")
        if not good:
            print("# " + str(details).replace("\n", "\n# "))
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.points}")
        return self.failures != 0


tap = Tap()


def copy(ranks, lines):
    """Run h5_copy; returns its answer to each line: source file and dataset, target file and dataset, gzip level."""
    with open("list", "w") as text:
        text.writelines("\t".join(map(str, line)) + "\n" for line in lines)
    program = os.path.join(os.environ["builddir"], "tests", "io", "h5_copy")
    ran = subprocess.run([os.environ["MPIRUN"], "-n", str(ranks), program, "list"], capture_output=True, text=True)
    outcomes = ran.stdout.splitlines()
    tap.check(ran.returncode == 0 and len(outcomes) == len(lines), f"h5_copy on {ranks} ranks", ran.stdout + ran.stderr)
    return outcomes + ["nothing"] * (len(lines) - len(outcomes))


def numbers(dtype, shape=(20, 15)):
    count = int(np.prod(shape))
    values = np.resize(PATTERN, count)
    if np.dtype(dtype).kind == "b":
        values = values % 3 == 0
    elif np.dtype(dtype).kind == "c":
        values = values + 1j * (values - 50)
    elif np.dtype(dtype).kind in "if":
        values = values - 50
    return values.astype(dtype).reshape(shape)


def low_level(file, name, stored, values):
    """A dataset of a type that NumPy does not have: 300 elements that h5py converts."""
    space = h5py.h5s.create_simple((300,))
    dataset = h5py.h5d.create(file.id, name.encode(), stored, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.resize(values, 300))


def make_readable(path):
    """Fills a file; gives for each dataset its values and the dtype that it should be read as."""
    expected = {}
    with h5py.File(path, "w") as file:

        def add(name, values, dtype=None, **options):
            dataset = file.create_dataset(name, data=values, **options)
            expected[name] = (values, np.dtype(dtype or np.asarray(values).dtype.newbyteorder("=")))
            return dataset

        for order in "<>":
            for kind in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]:
                add(f"type {order}{kind}", numbers(order + kind))
            add(f"type {order}f2", numbers(order + "f2"))
        halves = np.arange(1 << 16, dtype="u2").view("f2")  # all that there are
        add("type all halves", halves)
        add("type all reversed halves", halves.astype(">f2"), chunks=(5000,), compression="gzip")
        pairs = np.zeros(halves.size, [("r", "f2"), ("i", "f2")])
        pairs["r"], pairs["i"] = np.nan_to_num(halves), np.nan_to_num(halves[::-1])
        add("type complex halves", pairs)
        expected["type complex halves"] = ((pairs["r"] + 1j * pairs["i"]).astype("c8"), np.dtype("c8"))
        add("type bool", numbers("?"))
        add("type enumeration", numbers("u2"), dtype=h5py.enum_dtype({"a": 0, "b": 30}, "u2"))
        expected["type enumeration"] = (numbers("u2"), np.dtype("u2"))
        three = h5py.h5t.STD_I32BE.copy()
        three.set_size(3)
        low_level(file, "type 3 bytes", three, PATTERN.astype("i4"))
        expected["type 3 bytes"] = (np.resize(PATTERN, 300), np.dtype("i4"))
        brain = h5py.h5t.IEEE_F32LE.copy()  # the upper half of a float32
        brain.set_fields(15, 7, 8, 0, 7)
        brain.set_size(2)
        brain.set_ebias(127)
        low_level(file, "type bfloat16", brain, PATTERN.astype("f4"))
        expected["type bfloat16"] = (np.resize(PATTERN, 300), np.dtype("f4"))

        for ndim in range(9):
            shape = (2, 3, 1, 2, 4, 1, 2, 3)[:ndim]
            add(f"{ndim} dimensions", numbers("f8", shape))
        for shape in [(0,), (0, 3), (3, 0, 2)]:
            add(f"empty {len(shape)}", numbers("f4", shape))

        large = numbers("i4", (700, 301))
        for name, options in {
            "chunked": {"chunks": (64, 50)},
            "gzip": {"chunks": (64, 50), "compression": "gzip", "shuffle": True},
            "checked": {"chunks": (700, 1), "fletcher32": True},
            "one chunk": {"chunks": (700, 301), "compression": "gzip"},
            "resizable": {"maxshape": (None, None)},
            "szip or plain": {"compression": "szip"} if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP) else {},
            "scaled": {"scaleoffset": 0},
        }.items():
            add("stored " + name, large, **options)
        add("stored reversed gzip", large.astype(">i4"), chunks=(100, 7), compression="gzip")
        for gzip in [None, 1]:
            name = f"stored some chunks {gzip}"
            dataset = file.create_dataset(name, (100, 30), "f4", chunks=(10, 10), compression=gzip, fillvalue=2.5)
            dataset[15:40, 3:12] = numbers("f4", (25, 9))
            expected[name] = (dataset[...], np.dtype("f4"))
        for name in ["never", "never chunked"]:
            file.create_dataset(f"stored {name}", (40, 3), "i2", fillvalue=-3, chunks="chunked" in name or None)
            expected[f"stored {name}"] = (np.full((40, 3), -3, "i2"), np.dtype("i2"))
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((30, 4))
        dataset = h5py.h5d.create(file.id, b"stored compact", h5py.h5t.IEEE_F64BE, space, compact)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers("f8", (30, 4)))
        expected["stored compact"] = (numbers("f8", (30, 4)), np.dtype("f8"))

        add("groups/within/groups", numbers("f4"))
        add("groups/Größe µ", numbers("f4"))
        file["link soft"] = h5py.SoftLink("/groups/within/groups")
        file["link hard"] = file["groups/within/groups"]
        expected["link soft"] = expected["link hard"] = expected["groups/within/groups"]
    return expected


def check_readable():
    expected = make_readable("in.h5")
    for ranks in [1, 3]:
        outputs = {name: f"out{ranks}_{i}.h5" for i, name in enumerate(expected)}
        lines = [("in.h5", name, outputs[name], "/copies/" + name, i % 2 * 6) for i, name in enumerate(expected)]
        for line, outcome in zip(lines, copy(ranks, lines)):
            values, dtype = expected[line[1]]
            text = f"{ranks} ranks: {line[1]}"
            name = "bfloat16" if "bfloat16" in text else dtype.name  # which h5py reads as float32
            if outcome != f"ok {name}":
                tap.check(False, text, f"{outcome}, where {name} was expected")
                continue
            with h5py.File(line[2], "r") as file:
                dataset = file[line[3]]
                same = dataset.dtype == dtype and dataset.shape == values.shape
                same = same and np.array_equal(dataset[...], values, equal_nan=dtype.kind == "f")
                chunked = dataset.shape == () or 0 in dataset.shape or (
                    dataset.chunks is not None
                    and np.prod(dataset.chunks) * dtype.itemsize <= MIB
                    and all(c <= n for c, n in zip(dataset.chunks, dataset.shape))
                    and dataset.compression == ("gzip" if line[4] else None)
                )
                tap.check(same and chunked, text, f"{dataset}, chunks {dataset.chunks}, {dataset.compression}")


def make_unreadable():
    """Files that are wrong; gives (file, dataset, status, words that must be in the sentence)."""
    with h5py.File("bad.h5", "w") as file:
        file["strings"] = ["a", "b"]
        file["fixed"] = np.array([b"ab"])
        file["compound"] = np.zeros(3, [("x", "f4"), ("y", "f4")])
        file["padded"] = np.zeros(3, np.dtype({"names": ["r", "i"], "formats": ["f4", "f4"], "offsets": [0, 8]}))
        file.create_dataset("lists", (3,), h5py.vlen_dtype("i4"))
        file.create_dataset("arrays", (3,), "(2,)i4")
        file["opaque"] = np.array([1], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
        file.create_dataset("references", (3,), h5py.ref_dtype)
        file["long"] = np.zeros(3, "longdouble")
        file["null"] = h5py.Empty("f4")
        file["nine"] = np.zeros((1,) * 9)
        file["type"] = np.dtype("f4")
        file.create_group("group/inner")
        file["nowhere"] = h5py.SoftLink("/none")
        file.create_dataset("lzf", data=np.arange(1000), compression="lzf")
        dataset = file.create_dataset("damaged", data=np.random.default_rng(1).random(4000), compression="gzip")
        chunk = dataset.id.get_chunk_info(0)
    with open("bad.h5", "r+b") as file:
        file.seek(chunk.byte_offset + 5)
        file.write(b"\xff" * 100)
    with h5py.File("many.h5", "w") as file:
        for i in range(12):
            file[f"d{i:02}"] = i
    with h5py.File("none.h5", "w"):
        pass
    with h5py.File("whole.h5", "w") as file:
        file["x"] = np.arange(100000)
    size = os.path.getsize("whole.h5")
    with open("whole.h5", "rb") as source, open("truncated.h5", "wb") as target:
        target.write(source.read(size - 5000))
    with open("text.h5", "w") as file:
        file.write("no HDF5 at all\n" * 100)
    with open("zero.h5", "w"):
        pass
    os.mkdir("folder.h5")
    unsupported, io, form = "MNP_ERR_UNSUPPORTED", "MNP_ERR_IO", "MNP_ERR_FORMAT"
    cases = [
        ("bad.h5", "strings", unsupported, "strings"),
        ("bad.h5", "fixed", unsupported, "strings"),
        ("bad.h5", "compound", unsupported, "compounds"),
        ("bad.h5", "padded", unsupported, "compounds"),
        ("bad.h5", "lists", unsupported, "varying length"),
        ("bad.h5", "arrays", unsupported, "arrays"),
        ("bad.h5", "opaque", unsupported, "opaque"),
        ("bad.h5", "references", unsupported, "references"),
        ("bad.h5", "long", unsupported, "more than 8 bytes"),
        ("bad.h5", "null", unsupported, "no shape"),
        ("bad.h5", "nine", unsupported, "9 dimensions"),
        ("bad.h5", "type", io, "not a dataset"),
        ("bad.h5", "group", io, "is a group"),
        ("bad.h5", "nowhere", io, "does not exist"),
        ("bad.h5", "group/none", io, "does not exist"),
        ("bad.h5", "strings/none", io, "'/strings/none' in 'bad.h5'"),
        ("bad.h5", "lzf", unsupported, "lzf"),
        ("bad.h5", "damaged", io, "cannot read '/damaged' in 'bad.h5'"),
        ("many.h5", "x", io, "the file has /d00, /d01, /d02, /d03, /d04, /d05, /d06, /d07 and 4 more"),
        ("none.h5", "x", io, "the file has no datasets"),
        ("truncated.h5", "x", form, f"it has {size - 5000} bytes where it should have {size}"),
        ("text.h5", "x", form, "'text.h5' is not an HDF5 file"),
        ("zero.h5", "x", form, "'zero.h5' is not an HDF5 file"),
        ("folder.h5", "x", io, "is a folder"),
        ("missing.h5", "x", io, "'missing.h5': No such file"),
    ]
    if os.geteuid() != 0:
        with h5py.File("secret.h5", "w"):
            os.chmod("secret.h5", 0)
        cases.append(("secret.h5", "x", io, "'secret.h5': Permission denied"))
    return cases


def check_unreadable():
    cases = make_unreadable()
    for ranks in [1, 2]:
        outcomes = copy(ranks, [(file, name, "never.h5", "x", 0) for file, name, _, _ in cases])
        for (_, _, status, words), outcome in zip(cases, outcomes):
            tap.check(outcome.startswith(status) and words in outcome, f"{ranks} ranks: {outcome}", f"not: {words}")
    tap.check(not os.path.exists("never.h5"), "nothing was written")


def check_replacing():
    with h5py.File("in.h5", "w") as file:
        file["x"] = numbers("f4", (90, 40))
    with h5py.File("full.h5", "w", userblock_size=512) as file:
        file["old"] = numbers("i8", (500, 30))
        file["group/x"] = numbers("u1", (5000,))
        file["group/x"].attrs["unit"] = "m"
        file["group/y"] = "kept"
        file.attrs["title"] = "kept too"
    with open("full.h5", "r+b") as file:
        file.write(b"a user's own words")
    os.chmod("full.h5", 0o604)
    os.symlink("full.h5", "link.h5")
    with h5py.File("newest.h5", "w", libver="latest") as file:
        file["old"] = numbers("f8")
    with h5py.File("single.h5", "w") as file:
        file["group/x"] = np.zeros(MIB)
    with h5py.File("titled.h5", "w") as file:
        file["group/x"] = np.zeros(10)
        file["group"].attrs["title"] = "kept"
    for name in ["text.h5", "truncated.h5", "zero.h5"]:
        os.chmod(name, 0o644)
    before = {name: open(name, "rb").read() for name in ["text.h5", "truncated.h5", "full.h5"]}
    lines = [("in.h5", "x", target, "/group/x", gzip) for target, gzip in [
        ("link.h5", 0), ("link.h5", 5), ("newest.h5", 5), ("single.h5", 0), ("titled.h5", 0), ("zero.h5", 0),
        ("text.h5", 0), ("truncated.h5", 0), ("folder.h5", 0)]]
    lines += [("in.h5", "x", "full.h5", "/group", 0), ("in.h5", "x", "full.h5", "/old/x", 0),
              ("in.h5", "x", "nowhere/x.h5", "/x", 0), ("in.h5", "x", "in.h5", "/x", 3)]
    for ranks in [1, 4]:
        outcomes = dict(zip([line[2:4] for line in lines], copy(ranks, lines)))
        for target in ["link.h5", "newest.h5", "single.h5", "titled.h5", "zero.h5"]:
            with h5py.File(target, "r") as file:
                same = np.array_equal(file["group/x"][...], numbers("f4", (90, 40)))
                tap.check(outcomes[target, "/group/x"] == "ok float32" and same and not file["group/x"].attrs,
                          f"{ranks} ranks: the dataset in {target} is replaced", outcomes[target, "/group/x"])
        with h5py.File("full.h5", "r") as file:
            kept = (np.array_equal(file["old"][...], numbers("i8", (500, 30))) and file["group/y"][()] == b"kept"
                    and file.attrs["title"] == "kept too" and file.userblock_size == 512)
        with open("full.h5", "rb") as file:
            kept = kept and file.read(18) == b"a user's own words"
        tap.check(kept, "everything else is kept")
        kept = os.path.islink("link.h5") and os.stat("full.h5").st_mode & 0o777 == 0o604
        tap.check(kept, "so are link and permissions")
        with h5py.File("newest.h5", "r") as file, h5py.File("titled.h5", "r") as titled:
            tap.check(np.array_equal(file["old"][...], numbers("f8")) and titled["group"].attrs["title"] == "kept",
                      "in other files too")
        tap.check(os.path.getsize("single.h5") < 100000, "a file with nothing else is made anew")
        for target, name, words in [
            ("text.h5", "/group/x", "is not an HDF5 file"),
            ("truncated.h5", "/group/x", "truncated"),
            ("folder.h5", "/group/x", "is a folder"),
            ("full.h5", "/group", "is a group"),
            ("full.h5", "/old/x", "is not a group"),
            ("nowhere/x.h5", "/x", "'nowhere/'"),
        ]:
            outcome = outcomes[target, name]
            status = "MNP_ERR_FORMAT" if target in ("text.h5", "truncated.h5") else "MNP_ERR_IO"
            tap.check(outcome.startswith(f"{status} mnp_h5_write: cannot write") and words in outcome, outcome, f"not: {words}")
        tap.check(all(open(name, "rb").read() == before[name] for name in ["text.h5", "truncated.h5"]),
                  "what is refused stays as it was")
        with h5py.File("in.h5", "r") as file:
            tap.check(np.array_equal(file["x"][...], numbers("f4", (90, 40))), "a dataset can replace itself")
    with h5py.File("full.h5", "r+"):  # another program has it open for writing
        outcomes = copy(2, [("full.h5", "old", "never.h5", "x", 0), ("in.h5", "x", "full.h5", "x", 0)])
        for outcome in outcomes:
            tap.check("another program has 'full.h5' open for writing" in outcome, outcome)
    tap.check(not [name for name in os.listdir() if name.endswith(".tmp")], "no temporary files are left")


def check_chunks():
    """Chunk edges are block edges where blocks are even; chunks are of about 1 MiB."""
    with h5py.File("in.h5", "w") as file:
        file.create_dataset("even", (2000, 1800), "f4")
        file.create_dataset("prime", (2 * 1009, 2 * 503), "f8")
        file.create_dataset("long", (3 * MIB,), "u1")
        file.create_dataset("volume", (60, 200, 400), "c8")
    blocks = {"even": (1000, 900), "prime": (1009, 503), "long": (MIB * 3 // 4,), "volume": (60, 100, 200)}
    names = list(blocks)
    copy(4, [("in.h5", name, "chunks.h5", name, 0) for name in names])
    with h5py.File("chunks.h5", "r") as file:
        for name in names:
            dataset, chunks = file[name], file[name].chunks
            size = np.prod(chunks) * dataset.dtype.itemsize
            even = all(block % chunk == 0 for block, chunk in zip(blocks[name], chunks))
            tap.check(size <= MIB and (size >= MIB / 5), f"{name}: chunks {chunks} have {size} bytes")
            if name != "prime":
                tap.check(even, f"{name}: chunks {chunks} divide the blocks {blocks[name]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_readable()
        check_unreadable()
        check_replacing()
        check_chunks()
        os.chdir("/")
    return tap.done()


sys.exit(main())
