# SPDX-License-Identifier: BSD-3-Clause
"""maniple info FILE for info.t, which prints the points: what the command lists is what h5py finds."""

import json
import os
import subprocess

import h5py
import numpy as np
import scipy.sparse

seed = int(os.environ.get("MANIPLE_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
print(f"# MANIPLE_TEST_SEED={seed} repeats this run")
rng = np.random.default_rng(seed)


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}".replace("\n", " "), flush=True)


def info(path, *options, limit=600):
    done = subprocess.run([os.environ["MANIPLE"], "info", path, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=limit)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def processor_time():
    """Seconds of the commands that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def listed(path):
    status, printed, errors = info(path, "--json")
    return json.loads(printed) if status == 0 and not errors else {"objects": [], "wrong": errors}


a = rng.standard_normal((4, 6))
matrix = scipy.sparse.random(9, 7, 0.3, "csr", "f4", rng)
with h5py.File("a.h5", "w") as file:
    file["x"] = a
    file["x"].attrs.update({"unit": "K", "values": [1.5, 2.0, np.inf], "one": np.float32(0.1), "flag": True,
                            "count": np.uint8(200), "wave": 1 - 2j, "words": ["a", "b"], "long": np.arange(100)})
    file.attrs["Größe"] = np.bytes_("large")
    file["g/deep/s"] = np.int64(3)
    file["g/again"] = file["x"]
    file["soft"], file["nowhere"] = h5py.SoftLink("/g/deep"), h5py.SoftLink("/none")
    file["other"] = h5py.ExternalLink("b.h5", "/q")
    file.create_dataset("grows", (10, 20), ">i2", chunks=(5, 20), maxshape=(None, 40), compression=4, shuffle=True)
    file.create_dataset("half", data=np.zeros(3, "f2"))
    file["text"], file["kind"], file["pairs"] = "hello", np.dtype("f4"), np.zeros(2, [("a", "i4"), ("b", "f8")])
    group = file.create_group("m")
    group["data"], group["indices"], group["indptr"] = matrix.data, matrix.indices, matrix.indptr
    group["shape"], group.attrs["name"] = matrix.shape, "system"
    group["extra"] = [1, 2]
    group = file.create_group("ann")
    group.attrs["shape"], group.attrs["encoding-type"] = (7, 9), "csc_matrix"
    group["data"], group["indices"], group["indptr"] = matrix.data, matrix.indices, matrix.indptr
    file["not a matrix/data"] = [1.0]
    file["not a matrix/shape"] = [1]
    file["cycle"] = file["/"]

found = listed("a.h5")
objects = {entry["path"]: entry for entry in found["objects"]}
check(len(objects) == len(found["objects"]), f"every path once {found.get('wrong', '')}")
check(found.get("bytes") == os.path.getsize("a.h5"), "the size of the file")
members = {"/m/data", "/m/indices", "/m/indptr", "/m/shape", "/ann/data", "/ann/indices", "/ann/indptr"}
with h5py.File("a.h5") as file:
    names = {"/"}
    todo = [("/", file)]
    seen = {file.id.__hash__()}
    while todo:
        path, group = todo.pop()
        for name in group:
            inside = path.rstrip("/") + "/" + name
            names.add(inside)
            hard = isinstance(group.get(name, getlink=True), h5py.HardLink)
            if hard and isinstance(group[name], h5py.Group) and group[name] != file:
                todo.append((inside, group[name]))
check(set(objects) == names - members, f"every name but those of matrices: {sorted(set(objects) ^ (names - members))}")
for place in ("a.h5:/g", "a.h5:g/"):
    inside = [entry["path"] for entry in listed(place)["objects"]]
    check(inside == ["/g", "/g/again", "/g/deep", "/g/deep/s"], f"what is in {place}: {inside}")
check(info("a.h5:/g/again")[1].splitlines()[2].split()[:3] == ["/g/again", "4x6", "float64"], "a dataset alone")
check(len(listed("a.h5:/")["objects"]) == len(objects), "the whole file by its root")


def is_entry(path, **wanted):
    entry = objects.get(path, {})
    wrong = {key: entry.get(key) for key, value in wanted.items() if entry.get(key) != value}
    check(not wrong, f"{path}: {wrong or 'is as it should be'}")


is_entry("/", kind="group", attributes=[{"name": "Größe", "type": "strings", "shape": [], "value": "large"}])
is_entry("/g/deep/s", kind="dataset", type="int64", shape=[], storage="contiguous")
is_entry("/grows", type="big-endian int16", shape=[10, 20], chunks=[5, 20], limit=[None, 40], storage="chunked",
         filters="shuffle, gzip 4", attributes=None)
is_entry("/half", type="float16", shape=[3], limit=None, chunks=None)
is_entry("/text", type="strings", shape=[])
is_entry("/pairs", type="compounds", shape=[2])
is_entry("/kind", kind="type", type="float32")
is_entry("/soft", kind="link", target="/g/deep")
is_entry("/nowhere", kind="link", target="/none")
is_entry("/other", kind="link", target="b.h5:/q")
is_entry("/cycle", kind="link", target="/")
is_entry("/g/again", kind="dataset", shape=[4, 6])
is_entry("/x", kind="link", target="/g/again")
is_entry("/m", kind="sparse", format="csr", shape=[9, 7], nnz=matrix.nnz, type="float32")
is_entry("/ann", kind="sparse", format="csc", shape=[7, 9], nnz=matrix.nnz)
is_entry("/m/extra", kind="dataset", shape=[2])
is_entry("/not a matrix", kind="group")
attributes = {entry["name"]: entry for entry in objects.get("/g/again", {}).get("attributes", [])}
values = {name: entry.get("value") for name, entry in attributes.items()}
check(values == {"unit": "K", "values": "[1.5, 2, inf]", "one": 0.1, "flag": True, "count": 200, "wave": "1-2j",
                 "words": None, "long": None}, f"attributes: {values}")
check(attributes.get("long", {}).get("shape") == [100], "a long attribute has its shape")
status, printed, errors = info("a.h5")
check(status == 0 and "/m                        sparse matrix, 9x7 float32, csr" in printed and '@unit = "K"' in printed
      and "grows along dimension 0, along dimension 1 to 40" in printed, f"as text {errors}")

# ---- other kinds of files ----

np.save("f.npy", np.asfortranarray(a.astype(">f4")))
check(listed("f.npy") == {"file": "f.npy", "format": "NumPy", "type": "float32", "shape": [4, 6],
                          "fortran_order": True, "swapped": True}, f"a .npy file {listed('f.npy')}")
with open("m.mtx", "w") as file:
    file.write("%%MatrixMarket matrix coordinate real symmetric\n% comment\n3 3 2\n1 1 1\n2 1 5\n")
market = listed("m.mtx")
check((market.get("shape"), market.get("symmetry"), market.get("lines")) == ([3, 3], "symmetric", 2),
      f"a Matrix Market file {market}")
check(info("m.mtx")[1] == "m.mtx: Matrix Market, a sparse matrix, 3x3 real, symmetric, 2 entries\n", "the same as text")

# ---- many groups ----

with h5py.File("nested.h5", "w") as file:
    group = file
    for _ in range(3000):
        group = group.create_group("g")
    group["x"] = 1
with h5py.File("wide.h5", "w") as file:
    for i in range(3000):
        file[f"g{i}/x"] = i
for name, count in [("nested.h5", 3002), ("wide.h5", 6001)]:
    begun = processor_time()
    found = len(listed(name)["objects"])
    check(found == count and processor_time() - begun < 30,
          f"{name}: {found} objects in {processor_time() - begun:.1f} s")
begun = processor_time()
done = subprocess.run([os.environ["MANIPLE"], "stats", "nested.h5:/none"], capture_output=True, text=True)
check(done.returncode == 1 and processor_time() - begun < 30, "an unknown dataset beside 3000 nested groups is told at once")
check(len(done.stderr) < 300 and "the file has .../g/g/" in done.stderr, "in a sentence that can be read: " + done.stderr[:400])

# ---- damaged files: a list, or one sentence ----

good = open("a.h5", "rb").read()
wrongs = []
for number in range(40):
    damaged = bytearray(good)
    for _ in range(int(rng.choice([1, 4, 16]))):
        damaged[int(rng.integers(len(damaged)))] = int(rng.integers(256))
    if rng.random() < 0.2:
        damaged = damaged[:int(rng.integers(len(damaged)))]
    with open("damaged.h5", "wb") as file:
        file.write(damaged)
    status, printed, errors = info("damaged.h5", limit=100)
    if status == 0 and printed and not errors:
        continue
    if status not in (1, 2) or printed or errors.count("\n") != 1 or not errors.startswith("maniple: "):
        wrongs.append(f"status {status}: {printed[:80]} {errors[:300]}")
check(not wrongs, f"40 damaged files {wrongs[:2]}")
for name in ("text.npy", "text.h5"):
    with open(name, "w") as file:
        file.write("this is text\n")
