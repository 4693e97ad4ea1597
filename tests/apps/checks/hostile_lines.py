# SPDX-License-Identifier: BSD-3-Clause
"""Command lines for hostile.py: for every subcommand lines that make sense, with options from its --help, and then up
to three things that are wrong with them."""

import re
import subprocess

from hostile_world import LONG, ODD_NAMES

NUMBERS = ["0", "1", "-1", "2", "3", "7", "0.5", "1e30", "-1e30", "1e-310", "nan", "inf", "-inf",
           "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1e400",
           "0x10", "1_000", "", " ", "1 ", "１", "one", "--", "-", "1,2", "1;2", "1e", "+1", "007", "2j", "True"]
SHAPES = ["3", "4x5", "2x3x4", "1", "0", "0x4", "x", "4x", "x4", "4X5", "-1x2", "1x1x1x1x1x1x1x1x1",
          "4000000000x4000000000", "9223372036854775807", "99999999999999999999", "3037000500x3037000500", "1e3",
          "4x5x", "4*5", "(4,5)", "3.5"]
TYPES = ["float64", "float32", "float16", "int8", "uint64", "bool", "complex64", "complex128", "float", "f8",
         "double", "object", "", "FLOAT64", "int"]
GOOD_ARRAYS = ["in.h5:/x", "in.h5:x", "in.h5:/bytes", "in.h5:/big_endian", "in.h5:/complex", "in.h5:/grows",
               "in.h5:/packed", "in.h5:/deep/er/x", "in.npy", "order.npy", "gray.png", "color.png[..., 0]",
               "in.h5:/x[1:, ::-2]", "in.h5:/half", "in.h5:/soft", "in.h5:/elsewhere", "symlink.h5:/x", "hard.h5:/x",
               "in.h5:/bool", "linked/in.h5:/x"]
WRONG_ARRAYS = ["in.h5", "in.h5:", "in.h5:/", ":/x", "", ":", "in.h5:/missing", "missing.h5:/x", "missing.npy",
                "in.h5:/deep", "in.h5:/empty", "in.h5:/scalar", "in.h5:/five", "in.h5:/words", "in.h5:/compound",
                "in.h5:/nothing", "in.h5:/broken", "in.h5:/circle", "in.h5:/nowhere", "in.h5:/type", "in.h5:/nan",
                "in.h5:/infinite", "folder:/x", "folder.h5:/x", "folder", "pipe.h5:/x", "pipe.npy", "dangling.h5:/x",
                "loop.h5:/x", "nothing.h5:/x", "notes.txt:/x", "A.mtx:/x", "in.npy:/x", "text.npy", "object.npy",
                "cut.npy", "huge.npy", "minus.npy", "head.npy", "huge.png", "/dev/null:/x", "in.h5:/x[9]",
                "in.h5:/x[-7]", "in.h5:/x[0:0]", "in.h5:/x[]", "in.h5:/x[::0]", "in.h5:/x[1,2,3]", "in.h5:/x[a]",
                "in.h5:/x[9223372036854775808]", "in.h5:/x[-9223372036854775808:]", "in.h5:/x[1:2:3:4]",
                "in.h5:/x[..., ...]", "in.h5:/x[None]", "in.h5:/x]", "in.h5:/x[", "in.h5:/odd [name]",
                "in.h5:/odd [name][...]", "in.h5:/x/y", "in.h5:/../x", "in.h5:/" + "x" * 3000, "in.h5:/ünï",
                "in.h5://x", "in.h5:/x/", "in.h5:x:y", "in.h5:/./x", "/in.h5:/x"]
GENERATORS = ["hanning:3", "hanning:3x3", "gauss:3x3@1", "gauss:5@0.5", "dirac:8x8/2", "dirac:6/3", "hanning:0x3",
              "hanning:2", "gauss:3", "gauss:3@0", "gauss:3@nan", "gauss:3@1e-320", "gauss:3@1e308", "gauss:3@1x1",
              "dirac:8", "dirac:8/0", "dirac:8/-1", "dirac:4000000000x400000000/2", "hanning:1000000000000x1",
              "gauss:99999999999999x3@2", "hanning:", "hanning", "haning:3", "hanning:3x3x3x3x3", "hanning:1x1x1",
              "dirac:8x8/99999999999999999999", "hanning:9223372036854775807", "hanning:3x3 "]
MATRICES = ["A.mtx", "symmetric.mtx", "in.h5:/sparse/csr", "poisson:4x4", "convdiff:4x4@2", "elasticity:3x3",
            "hpcg:3x3x3", "pattern.mtx", "complex.mtx", "indefinite.mtx", "symlink.h5:/sparse/csr"]
WRONG_MATRICES = ["singular.mtx", "tall.mtx", "nan.mtx", "huge.mtx", "lies.mtx", "outside.mtx", "short.mtx",
                  "none.mtx", "head.mtx", "b.mtx", "notes.txt", "missing.mtx", "folder", "pipe.h5", "in.npy", "in.h5",
                  "in.h5:/x", "in.h5:/deep", "in.h5:/missing", "in.h5:/sparse", "in.h5:/sparse/bad_index",
                  "in.h5:/sparse/bad_pointer", "in.h5:/sparse/short", "in.h5:/sparse/float_index",
                  "in.h5:/sparse/no_shape", "in.h5:/sparse/negative", "in.h5:/sparse/huge", "in.h5:/sparse/wide",
                  "in.h5:/sparse/words", "poisson:0", "poisson:", "poisson:x", "poisson:-1", "poisson:4x4x4x4",
                  "poisson:99999999999", "poisson:3000000x3000000x3000000", "convdiff:4@nan", "convdiff:4@1x2x3",
                  "elasticity:3", "elasticity:3x3@0.5", "elasticity:3x3@-1", "hpcg:3x3", "poison:4x4",
                  "nothing.h5:/a", ""]
VECTORS = ["in.h5:/b", "in.h5:/B", "b.npy", "b.mtx", "in.h5:/B[:, 0]", "in.h5:/row", "in.h5:/scalar",
           "in.h5:/complex", "in.h5:/infinite", "in.h5:/nan[:, 0]"]
OUTPUTS = ["new.h5:/x", "new.npy", "in.h5:/new", "new.h5:/a/b/c", "other.h5:/x", "order.npy", "folder/new.h5:/x",
           "linked/new.h5:/x"]
WRONG_OUTPUTS = ["in.h5:/x", "./in.h5:/x", ".//in.h5://x", "symlink.h5:/x", "hard.h5:/x", "in.h5:/soft",
                 "in.h5:/alias/er/x", "in.h5:/deep", "in.h5:/deep/er", "in.h5:/x/y", "in.h5:/broken", "in.h5:/circle",
                 "in.h5:/nowhere", "in.h5:/elsewhere", "other.h5:/soft", "in.h5:/sparse/csr",
                 "in.h5:/sparse/csr/data", "in.h5:/sparse/csr/new", "in.h5:/sparse", "in.h5:/", "in.h5", "in.h5:",
                 "in.npy", "symlink.npy", "hard.npy", "./in.npy", "missing/new.h5:/x", "missing/new.npy", "folder:/x",
                 "folder.h5:/x", "notes.txt:/x", "notes.txt/new.npy", "pipe.h5:/x", "pipe.npy", "dangling.h5:/x",
                 "loop.h5:/x", "/dev/full:/x", "/dev/null:/x", "/nowhere/new.npy", "readonly.h5:/y", "nothing.h5:/x",
                 "new.png", "new.txt", "new.h5:/x[0]", "", ":", ":/x", ".npy", ".h5:/x", "A.mtx:/x", "in.h5:/row",
                 "in.h5:/grows", "in.h5:/packed", "in.h5:/five", "in.h5:/words", "new.h5:/" + "g/" * 500 + "x",
                 "new.h5:/" + "x" * 5000, LONG + "x" * 30 + ".h5:/x", "folder/" * 700 + "new.npy", "new.h5:/ünï",
                 "new.h5:/.", "new.h5:/a/../b", "new.h5:/x\n", "in.h5:/type", "in.h5:/x_history", "y=new.npy",
                 "=new.npy"]
PICTURES = ["new.png", "new.svg", "gray.png", "folder/new.png", "new.jpg", "new", "folder.png", "missing/new.png",
            "in.h5", "symlink.png", "", ".png", "color.png", "/dev/full", "y=new.png", "new.PNG", "./new.png",
            "in.npy", "pipe.h5", "new.png/"]
TEXTS = ["x + 1", "y = x * 2; y + x", "sum(x)", "median(x)", "x[0]", "mean(x, axis=0)", "sort(x, axis=-1)",
         "y = x\nz = y + 1", "x > 3", "reshape(x, -1)", "where(x > 3, x, 0)", "cumsum(x)", "concatenate((x, x))",
         "1 + 1", "y = x; y[0] = 1; y", "unique(x)"]
WRONG_TEXTS = ["", " ", ";", "x +", "(x", "x)", "x[", "x[99]", "x[::0]", "nosuch(x)", "x = ", "= x", "x == ", "q",
               "x.nosuch()", "x @ x", "sum(x, axis=9)", "sum(x, axis=(0,0))", "reshape(x, 5, 5)",
               "reshape(x, -1, -1)", "concatenate(())", "percentile(x, 200)", "x[1.5]", "x['a']", "1/0", "1 // 0",
               "1 % 0", "2 ** 9999", "2 ** -1", "1 << 99", "99999999999999999999", "x if", "lambda x: x", "import os",
               "x; y = ", "y = x; y = y + z", "x[x]", "take(x, [99])", "'text'", "\"", "\\", "#", "# only a comment",
               "x \x01", "ünï + 1", "x" * 5000, "(" * 5000, "x+" * 3000 + "x", "[" * 300 + "]" * 300,
               "-" * 4000 + "x", "not " * 300 + "x", "i9", "n8", "i", "repeat(x, 100000000000000)",
               "tile(x, (9999999, 9999999))", "pad(x, -1)", "roll(x, 9223372036854775807)", "histogram(x, bins=0)",
               "histogram(x, bins=-1)", "bincount(x)", "x.reshape(0)", "broadcast_to(x, (3,))",
               "x[9223372036854775808]", "uint8(300)", "x + 99999999999999999999", "astype(x, float128)",
               "x.astype(nosuch)", "float32(", "a, b = x", "a, b = divmod(x)", "a, b, c = divmod(x, 2)", "x += 1",
               "w += 1", "sum(x) = 1", "x[0] = x", "x[0] += nosuch", "x if x > 1 else", "0 < x < ", "diff(x, 99)",
               "topk(x, 0)", "partition(x, 99)", "squeeze(x, 0)", "transpose(x, (0, 0))", "moveaxis(x, 0, 9)", "%s%n",
               "x%n"]
FUNCTIONS = """
    sum prod mean var std min max ptp argmin argmax all any count_nonzero nansum nanmax median percentile quantile
    average cov corrcoef histogram bincount digitize searchsorted nanmedian cumsum cumprod cummax cummin diff ediff1d
    gradient trapezoid sort argsort partition argpartition topk unique isin intersect1d union1d setdiff1d setxor1d
    reshape ravel transpose swapaxes moveaxis squeeze expand_dims broadcast_to flip concatenate stack vstack hstack
    dstack column_stack append roll tile repeat pad tril triu diag zeros_like ones_like take compress extract
    flatnonzero argwhere where clip abs round divmod modf frexp sqrt erf gamma float32 int8 uint64 bool complex64 fma
    minimum real conj astype
""".split()
ARGUMENTS = ["x", "x", "x", "x", "y", "x[0]", "x[:, 1]", "x[0, 0]", "x > 3", "x*1j", "0", "1", "-1", "3", "1.5", "99",
             "1e30", "nan", "None", "True", "[1, 2]", "(0, 1)", "(x, x)", "(x, x[:1])", "[]", "()", "axis=0",
             "axis=-1", "axis=2", "axis=None", "axis=(0, 1)", "keepdims=True", "dtype=float32", "bins=3", "ddof=99",
             "weights=x", "n=2", "where=x > 3", "initial=1", "nosuch=1", "9223372036854775807",
             "-9223372036854775808", "x[2:2]", "mode='wrap'", "int8(x)", "cumsum(x)"]
TOKENS = ["x", "y", "1", "2.5", "(", ")", "[", "]", ",", ":", "+", "-", "*", "**", "/", "//", "%", "=", "==", "<",
          "and", "not", "if", "else", "sum", "sort", "where", "axis=", "0", "None", "...", ";", "\n", ".", "T", "2j",
          "~", "@", "&", "reshape", "True", "i0", "n", "pi"]
LISTS = ["0", "0,1", "1,0", "-1", "0,0", "9", "", ",", "0,", "a", "0;1", "-1,-2", "99999999999999999999",
         "0,1,2,3,4,5,6,7,8", "50", "5,5", "none", "101", "nan", "-0", "1e-300"]

# What a good argument of an option may be, by the option's name
GOOD = {"output": OUTPUTS, "picture": PICTURES[:4], "png": PICTURES[:4], "mode": ["full", "same", "valid"],
        "boundary": ["fill", "wrap", "symm", "mirror", "nearest"], "fillvalue": ["0", "1", "nan"], "dtype": TYPES[:8],
        "append": ["new", "0", "1"], "picture-size": ["3x2", "3x2@50", "8x4"], "axes": ["0,1", "0", "-1"],
        "axis": ["0", "1", "-1"], "percentiles": ["50", "5,50,95", "none"], "bins": ["3", "0", "20"],
        "range": ["0,1", "-5,5"], "memory": ["1K", "1M", "1G"], "seed": ["0", "1", "18446744073709551615"],
        "method": ["cg", "gmres", "bicgstab", "idr", "lsqr", "minres", "richardson", "chebyshev", "bicg", "qmr", "tfqmr"],
        "precond": ["none", "jacobi", "ilu0", "ic0", "ssor", "block-jacobi", "polynomial"],
        "rtol": ["1e-6", "0.1", "0"], "atol": ["0", "1e-3"], "maxiter": ["0", "1", "50"], "restart": ["2", "20"],
        "block": ["2", "4"], "omega": ["1", "0.5"], "sweeps": ["1", "2"], "degree": ["1", "4"],
        "guess": ["in.h5:/b", "b.npy"], "checkpoint": ["state.h5", "new.h5"], "every": ["1", "5"],
        "resume": ["state.h5"], "layout": ["8x8", "100", "3x4x5"], "ranks": ["1", "4", "6"],
        "mesh": ["2x2", "1x0", "4"], "cyclic": ["2x2", "0x1", "3"], "order": ["1,0", "0"],
        "cases": ["barrier", "all-reduce", "halo,columns"], "min": ["8"], "max": ["8", "16"], "step": ["2"],
        "repeats": ["1"], "s": ["4,4", "5", "3,4"], "norm": ["ortho", "forward", "backward"], "file": ["statements.txt", "-"]}
BAD = {"output": WRONG_OUTPUTS, "picture": PICTURES, "png": PICTURES, "dtype": TYPES, "guess": WRONG_ARRAYS + VECTORS,
       "checkpoint": ["in.h5", "symlink.h5", "A.mtx", "in.npy", "folder", "missing/c.h5", "notes.txt", "", "pipe.h5",
                      "in.h5:/x"],
       "resume": ["in.h5", "missing.h5", "notes.txt", "nothing.h5", "folder", ""],
       "file": ["notes.txt", "bytes.txt", "missing.txt", "folder", "in.h5", "nothing.h5", "pipe.npy", ""],
       "layout": SHAPES, "mesh": SHAPES, "cyclic": SHAPES, "axes": LISTS, "axis": LISTS, "order": LISTS,
       "percentiles": LISTS, "range": LISTS, "s": LISTS, "norm": ["max", "", "ORTHO"],
       "picture-size": ["0x0", "1e9x1e9", "3", "x", "-1x2", "nanx1", "3x2@0", "3x2@1e9", "3x2@", "0.001x0.001",
                        "3x2@-1", "100x100@2000"],
       "memory": ["0", "1", "-1K", "1Q", "1e3", "99999999999G", "K"], "case": ["nosuch", ",", "barrier,barrier", ""],
       "min": ["0", "-1", "1Q", "99999999999G"], "max": ["0", "3"], "repeats": ["0", "-1", "x"],
       "step": ["0", "1", "-1"]}
LAYOUT = ("ranks", "mesh", "axes", "cyclic", "order", "replicate")  # options of info that want --layout
SUBCOMMANDS = ["conv", "eval", "random", "solve", "spinfo", "stats", "info", "bench", "cache", "fft"]
WEIGHTS = [5, 6, 4, 6, 3, 4, 4, 1, 1, 4]
DISTRIBUTIONS = [["uniform"], ["uniform", "low=1", "high=2"], ["integers", "high=9"], ["bits"], ["normal", "std=2"],
                 ["lognormal"], ["exponential"], ["gamma", "shape=2"], ["beta", "a=1", "b=2"], ["poisson", "mean=3"],
                 ["binomial", "n=5", "p=0.5"], ["permutation"]]


class Lines:
    """Draws lines of words."""

    def __init__(self, command):
        self.options = {name: self.options_of(command, name) for name in SUBCOMMANDS}
        self.wrong = 0  # how often a word is wrong, in the line that is drawn

    @staticmethod
    def options_of(command, name):
        """[(words that name the option, its long name, whether it takes an argument)], from --help."""
        text = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^  (?:-(\w), |    )--([a-z-]+)( [A-Z0-9]\S*)?", text, re.M)
        return [(["--" + long] + (["-" + short] if short else []), long, bool(argument)) for short, long,
                argument in found]

    # ---- words ----

    def array(self, rng, more=1):
        if rng.random() > more * self.wrong:
            return rng.choice(GOOD_ARRAYS)
        return rng.choice([lambda: rng.choice(WRONG_ARRAYS), lambda: rng.choice(GENERATORS),
                           lambda: self.file(rng, "/x"),
                           lambda: self.file(rng, "/x"),
                           lambda: rng.choice(WRONG_OUTPUTS)])()

    def file(self, rng, dataset):
        """A damaged file or one with an odd name."""
        name = self.damaged(rng) if rng.random() < 0.7 else rng.choice(ODD_NAMES) + rng.choice([".h5", ".npy", ".mtx",
                                                                                                ".png"])
        return name + (":" + rng.choice([dataset, "/x", "/packed", "/grows", "/deep/er/x"]) if name.endswith(".h5")
                       else "")

    @staticmethod
    def damaged(rng):
        """The name of a file that hostile_world.damage() makes."""
        return f"damaged{rng.randrange(10**6)}_" + rng.choice(["in.h5", "in.h5", "other.h5", "in.npy", "gray.png",
                                                               "A.mtx"])

    def matrix(self, rng, more=1):
        if rng.random() > more * self.wrong:
            return rng.choice(MATRICES)
        return rng.choice([lambda: rng.choice(WRONG_MATRICES), lambda: rng.choice(WRONG_MATRICES),
                           lambda: self.file(rng, "/sparse/csr")])()

    def output(self, rng):
        return rng.choice(OUTPUTS if rng.random() > self.wrong else
                          WRONG_OUTPUTS + [name + ending for name in ODD_NAMES for ending in (".h5:/new", ".npy")])

    def argument(self, rng, option):
        if rng.random() > self.wrong:
            return rng.choice(GOOD.get(option, NUMBERS))
        if option in ("checkpoint", "resume") and rng.random() < 0.3:
            return self.damaged(rng)
        return rng.choice(BAD.get(option, NUMBERS) + (NUMBERS if rng.random() < 0.3 else []))

    def text(self, rng):
        draw = rng.random()
        if draw < 0.4:
            return rng.choice(TEXTS)
        if draw < 0.6:
            return rng.choice(WRONG_TEXTS)
        if draw < 0.85:
            arguments = [rng.choice(ARGUMENTS) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
            return f"{rng.choice(FUNCTIONS)}({', '.join(arguments)})"
        return rng.choice(["", " "]).join(rng.choice(TOKENS) for _ in range(rng.randrange(1, 12)))

    # ---- lines that make sense, but for their operands ----

    def operands(self, rng, name):
        output = [rng.choice(["-o", "--output"]), self.output(rng)] if rng.random() > self.wrong / 5 else []
        if name == "conv":
            right = rng.random() > 2 * self.wrong
            kernel = rng.choice(GENERATORS[:6] + ["in.h5:/kernel"]) if right else self.array(rng, 2)
            return [self.array(rng), kernel, *output]
        if name == "eval":
            named = [f"{n}={self.array(rng) if rng.random() < 0.7 else rng.choice(NUMBERS)}"
                     for n in ["x", "y"][:rng.randrange(3)]]
            return [self.text(rng), *(named or ["x=in.h5:/x"]), *(output if rng.random() < 0.7 else [])]
        if name == "random":
            words = list(rng.choice(DISTRIBUTIONS))
            if rng.random() < 0.3:
                parameter = rng.choice(["low", "high", "std", "mean", "p", "n", "scale", "nosuch", ""])
                words.append(parameter + "=" + rng.choice(NUMBERS))
            return [words[0], rng.choice(SHAPES[:4] if rng.random() > self.wrong else SHAPES), *words[1:], *output,
                    "-s", "1"]
        if name == "solve":
            return [self.matrix(rng), *([rng.choice(VECTORS[:5] if rng.random() > self.wrong else VECTORS)]
                                        if rng.random() < 0.6 else []),
                    *output, "--maxiter", rng.choice(["30", "30", "5"])]
        if name == "fft":
            return [self.array(rng), *output]
        if name == "spinfo":
            return [self.matrix(rng)]
        if name == "stats":
            return [self.array(rng, 2)]
        if name == "bench":
            return ["comm", "--max", "8", "-r", "1", "-c", rng.choice(["barrier", "all-reduce"])]
        if name == "info" and rng.random() < 0.8:
            return [rng.choice([self.array(rng).split(":")[0], self.file(rng, "/x").split(":")[0], self.matrix(rng),
                                "in.h5", "missing.h5", "folder"])]
        return []

    def line_on_damaged(self, rng):
        """A line that is right, on an HDF5 file that is damaged, which it reads or writes."""
        inside = rng.choice(["/x", "/packed", "/grows", "/deep/er/x", "/complex", "/row", "/bytes"])
        file = f"damaged{rng.randrange(10**6)}_" + ("other.h5" if inside == "/x" and rng.random() < 0.5 else "in.h5")
        return rng.choice([
            ["stats", f"{file}:{inside}"],
            ["info", file],
            ["spinfo", file + ":/sparse/csr"],
            ["eval", "sum(x)", f"x={file}:{inside}"],
            ["eval", "x + 1", f"x={file}:{inside}", "-o", file + ":/new"],
            ["conv", f"{file}:{inside}", "hanning:3", "-o", f"{file}:{inside}2"],
            ["fft", f"{file}:{inside}", "-o", file + ":/new"],
            ["random", "uniform", "4x8", "-s", "1", "-o", file + ":/new"],
            ["random", "uniform", "4x8", "-s", "1", "-o", file + rng.choice([":/grows", ":/a/b/new"]), "--append", "0"],
            ["solve", file + ":/sparse/csr", "-o", "new.h5:/x"],
            ["solve", "poisson:4x4", file + ":/b", "-o", "new.h5:/x", "--resume", file],
            ["solve", "poisson:4x4", "-o", "new.h5:/x", "--checkpoint", file, "--every", "1"]])

    def line(self, rng):
        """One command line, without the command's name."""
        if rng.random() < 0.15:
            return self.line_on_damaged(rng)
        self.wrong = rng.choice([0, 0.1, 0.4])
        name = rng.choices(SUBCOMMANDS, WEIGHTS)[0]
        words = self.operands(rng, name)
        given = set(words)
        for names, long, takes in rng.sample(self.options[name], min(len(self.options[name]), rng.choice([0, 0, 1, 1,
                                                                                                          2, 3]))):
            if long == "help" or given & set(names) or (name == "bench"
                                                        and long in ("max", "repeats", "case", "min", "step", "output", "peers", "plot")):
                continue
            if long.startswith("picture-") and "--picture" not in words:
                words += ["--picture", rng.choice(PICTURES[:4])]
            if long in LAYOUT and "--layout" not in words:
                words = ["--layout", rng.choice(GOOD["layout"])]
            option = rng.choice(names)
            words += [f"--{long}={self.argument(rng, long)}"] if takes and rng.random() < 0.2 else \
                [option, self.argument(rng, long)] if takes else [option]
        words = [name, *words]
        for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2])):
            words = self.spoil(rng, words)
        return words

    # ---- what may be wrong with any line ----

    def spoil(self, rng, words):
        at = rng.randrange(1, len(words) + 1)
        other = rng.choice(self.options[rng.choice(SUBCOMMANDS)])
        word = words[min(at, len(words) - 1)]
        return rng.choice([
            lambda: words[:at] + words[at + 1:],
            lambda: words[:at] + [word] + words[at:],
            lambda: words + [rng.choice(other[0])] + ([self.argument(rng, other[1])] if other[2]
                                                      and rng.random() < 0.8 else []),
            lambda: words[:at] + [rng.choice(NUMBERS)] + words[at + 1:],
            lambda: words[:at] + [self.mangled(rng, word)] + words[at + 1:],
            lambda: words[:at] + [self.array(rng, 3)] + words[at + 1:],
            lambda: words[:at] + [rng.choice(["--", "-", "", "--=", "--nosuch", "-\n", "-zz", "help", "--json=1",
                                              "\x7f"])] + words[at:],
            lambda: words[:1] + rng.sample(words[1:], len(words) - 1),
        ])()

    @staticmethod
    def mangled(rng, word):
        at = rng.randrange(len(word) + 1)
        middle = rng.choice(["", "/", ":", "x", "-", " ", "0", "é", "%s", "'", "\n", "=", "[", "]", ","])
        return word[:at] + middle + word[at + rng.randrange(2):]
