# SPDX-License-Identifier: BSD-3-Clause
"""Raw kernels whose threads meet: at barriers of the block, in warps, and with memory that they share; beside NumPy.
And functions of CUDA that C lacks.

Every rank runs the same kernels on arrays of its own, on the host with three workers."""

import ctypes
import os

os.environ.setdefault("MANIPLE_THREADS", "3")
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402

rng = mp.random()


class Argument(ctypes.Structure):
    _fields_ = [("array", ctypes.c_void_p), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("value", ctypes.c_int64)]


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_size_t),
                ("stream", ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("nvrtc_options", ctypes.c_char_p),
                ("name_expressions", ctypes.POINTER(ctypes.c_char_p))]


def module(name, source, options="", expressions=()):
    names = (ctypes.c_char_p * (len(expressions) + 1))(*[e.encode() for e in expressions])
    return mp.raw_module_new(source, Options(name.encode(), options.encode(), names))


def own(a):
    """An array that every rank has."""
    return mp.array(a, mp.layout_replicated(mp.size, a.ndim, a.shape))


def run(module, name, grid, block, arguments, shared_bytes=0):
    """Launch a kernel; NumPy's arrays are copied to the device, and the last of them is returned as it is then."""
    kept, table = [], []
    for value in arguments:
        if isinstance(value, np.ndarray):
            kept.append(own(value))
            table.append(Argument(array=kept[-1].pointer))
        else:
            cell = ctypes.create_string_buffer(value.tobytes())
            kept.append(cell)
            table.append(Argument(bytes=ctypes.addressof(cell), size=value.nbytes))
    launch = Launch((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), shared_bytes, None)
    mp.raw_kernel_launch(mp.raw_module_kernel(module, name), launch, len(table), (Argument * len(table))(*table))
    return [array for array in kept if isinstance(array, mp.Array)][-1].local()


def equal(name, got, want):
    mp.ok(np.array_equal(got, want), name if np.array_equal(got, want) else f"{name}: {got} where {want} is right")


# --- memory that a block shares ---------------------------------------------------------------------------------------

SHARED = r"""
#define TILE 16
#define MEET() __syncthreads()
extern "C" __global__ void matmul(const double *a, const double *b, double *c, int n)
{
    __shared__ double left[TILE][TILE], right[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    double sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        left[y][x] = i < n && k0 + x < n ? a[i * n + k0 + x] : 0;
        right[y][x] = j < n && k0 + y < n ? b[(k0 + y) * n + j] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    if (i < n && j < n)
        c[i * n + j] = sum;
}
extern "C" __global__ void smooth(const double *u, int rows, int columns, double *v)
{
    __shared__ double tile[6][10];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 4 + y, j = blockIdx.x * 8 + x;
    for (int k = y * 8 + x; k < 60; k += 32) {
        const int p = blockIdx.y * 4 + k / 10 - 1, q = blockIdx.x * 8 + k % 10 - 1;
        tile[k / 10][k % 10] = p >= 0 && p < rows && q >= 0 && q < columns ? u[p * columns + q] : 0;
    }
    MEET();
    if (i < rows && j < columns)
        v[i * columns + j] = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2];
}
extern "C" __global__ void sums(const long long *x, int n, long long *out)
{
    extern __shared__ long long part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    for (int count = blockDim.x; count > 1; count = (count + 1) / 2) {
        __syncthreads();
        if (threadIdx.x < count / 2)
            part[threadIdx.x] += part[threadIdx.x + (count + 1) / 2];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
__device__ int turned(int *places)
{
    const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int all = blockDim.x * blockDim.y * blockDim.z;
    places[t] = threadIdx.x * 10000 + threadIdx.y * 100 + threadIdx.z;
    __syncthreads();
    return places[all - 1 - t];
}
extern "C" __global__ void turn(int *out)
{
    __shared__ int places[1024];
    const int got = turned(places), all = blockDim.x * blockDim.y * blockDim.z;
    const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * all + t] = got;
}
extern "C" __global__ void leave(int n, int *out)
{
    __shared__ int here;
    const int t = threadIdx.x;
    if (t >= n)
        return;
    if (t == 0)
        here = 0;
    __syncthreads();
    for (int k = 0; k < 40; k++) {
        atomicAdd(&here, 1);
        __syncthreads();
        out[k] = here; /* the same of all */
        __syncthreads();
    }
}
extern "C" __global__ void votes(const int *x, int *out)
{
    const int t = threadIdx.x, value = x[t];
    for (int k = 0; k < 4; k++) {
        const int count = __syncthreads_count(value > k), all = __syncthreads_and(value >= k),
                  any = __syncthreads_or(value == 3 + k);
        out[k * blockDim.x + t] = count * 4 + (all != 0) * 2 + (any != 0);
    }
}
extern "C" __global__ void bins(const int *x, int n, int *out)
{
    __shared__ int mine[10];
    if (threadIdx.x < 10)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 10)
        atomicAdd(&out[threadIdx.x], mine[threadIdx.x]);
}
extern "C" __global__ void alone(int n, double *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i] + threadIdx.x;
}
template <typename T, int N> __global__ void rotate(const T *x, T *out)
{
    __shared__ T all[N];
    all[threadIdx.x] = x[threadIdx.x];
    MEET();
    out[threadIdx.x] = all[(threadIdx.x + 1) % N];
}
"""


def check_shared():
    m = module("meeting", SHARED, expressions=["rotate<float, 70>"])
    n = 45
    a, b = rng.integers(-9, 9, (2, n, n)).astype(float)
    equal("a product of matrices by tiles", run(m, "matmul", (3, 3), (16, 16), (a, b, np.zeros((n, n)), np.int32(n))),
          a @ b)
    u = rng.standard_normal((13, 30))
    wide = np.pad(u, 1)
    equal("a stencil with the border of a tile",
          run(m, "smooth", (4, 4), (8, 4), (u, np.int32(13), np.int32(30), np.zeros_like(u))),
          wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:])
    for threads in (1, 2, 31, 32, 33, 64, 100, 256, 1000, 1024):
        blocks = 7
        x = rng.integers(-(1 << 40), 1 << 40, blocks * threads - threads // 2)
        padded = np.pad(x, (0, blocks * threads - x.size)).reshape(blocks, threads)
        equal(f"sums of blocks of {threads} threads in dynamic shared memory",
              run(m, "sums", (blocks,), (threads,), (x, np.int32(x.size), np.zeros(blocks, "int64")), 8 * threads),
              padded.sum(1))
    for grid, block in (((1,), (1,)), ((2, 3, 2), (5, 3, 4)), ((5, 1, 1), (16, 16, 4)), ((3, 1, 2), (1, 33, 2))):
        z, y, x = np.indices((block + (1, 1))[2::-1])
        places = np.broadcast_to((x * 10000 + y * 100 + z).ravel()[::-1], (np.prod(grid), np.prod(block)))
        equal(f"threads keep their places: blocks {grid} of {block}",
              run(m, "turn", grid, block, (np.zeros(places.shape, "int32"),)), places)
    equal("threads that have ended are not waited for", run(m, "leave", (1,), (50,), (np.int32(37), np.zeros(40, "i"))),
          37 * np.arange(1, 41))
    x = rng.integers(1, 6, 75).astype("int32")
    k = np.arange(4)[:, None]
    equal("votes of a block", run(m, "votes", (1,), (75,), (x, np.zeros((4, 75), "int32"))), np.broadcast_to(
        (x > k).sum(1, keepdims=True) * 4 + (x >= k).all(1, keepdims=True) * 2 + (x == 3 + k).any(1, keepdims=True),
        (4, 75)))
    x = rng.integers(0, 10, 5000).astype("int32")
    equal("atomic functions on shared memory",
          run(m, "bins", (6,), (96,), (x, np.int32(x.size), np.zeros(10, "int32"))), np.bincount(x, minlength=10))
    x = rng.standard_normal(1000)
    equal("a kernel beside them whose threads do not meet", run(m, "alone", (8,), (128,), (np.int32(1000), x)),
          2 * x + np.arange(1000) % 128)
    x = rng.standard_normal(70).astype("float32")
    equal("a template", run(m, "rotate<float, 70>", (1,), (70,), (x, np.zeros_like(x))), np.roll(x, -1))
    mp.raw_module_free(m)


# --- warps ------------------------------------------------------------------------------------------------------------

WARPS = r"""
#define ALL 0xffffffffu
extern "C" __global__ void shuffles(const double *x, int width, double *out)
{
    const int t = threadIdx.x, n = blockDim.x;
    out[t] = __shfl_sync(ALL, x[t], t * 3 + 5, width);
    out[n + t] = __shfl_up_sync(ALL, x[t], 3, width);
    out[2 * n + t] = __shfl_down_sync(ALL, x[t], 3, width);
    out[3 * n + t] = __shfl_xor_sync(ALL, x[t], 5, width);
}
extern "C" __global__ void total(const float *x, int n, float *out)
{
    __shared__ float sums[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(ALL, sum, d);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) { /* the other warps have ended */
        sum = lane < warps ? sums[lane] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(ALL, sum, d);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}
extern "C" __global__ void ballots(const int *x, unsigned *out)
{
    const int t = threadIdx.x, n = blockDim.x;
    out[t] = __ballot_sync(ALL, x[t] > 2);
    out[n + t] = __any_sync(ALL, x[t] == 0) != 0;
    out[2 * n + t] = __all_sync(ALL, x[t] < 5) != 0;
    out[3 * n + t] = __match_any_sync(ALL, x[t]);
    int same;
    const unsigned which = __match_all_sync(ALL, x[t] < 5, &same);
    out[4 * n + t] = same ? which : 0;
    out[5 * n + t] = __reduce_add_sync(ALL, x[t]);
    out[6 * n + t] = __reduce_max_sync(ALL, x[t]) * 100 + __reduce_min_sync(ALL, x[t]);
    out[7 * n + t] = __reduce_xor_sync(ALL, (unsigned)x[t]);
}
extern "C" __global__ void halves(int *out)
{
    /* two parts of a warp, with different numbers of meetings, and then all of it */
    __shared__ int seen[32];
    const int t = threadIdx.x;
    int value = t;
    if (t < 2)
        __syncwarp(3);
    if (t < 16) {
        for (int d = 8; d > 0; d /= 2)
            value += __shfl_down_sync(0xffff, value, d, 16);
    } else {
        value = __shfl_sync(0xffff0000u, value, 31) + (int)__ballot_sync(0xffff0000u, t % 2);
    }
    seen[t] = value;
    __syncwarp();
    out[t] = seen[31 - t];
}
"""


def check_warps():
    m = module("warps", WARPS)
    n = 96
    x, lane = rng.standard_normal(n), np.arange(n)
    for width in (32, 8, 1):
        first = lane // width * width
        up, down, across = lane - 3, lane + 3, lane ^ 5
        equal(f"shuffles among {width} threads", run(m, "shuffles", (1,), (n,), (x, np.int32(width), np.zeros((4, n)))),
              np.array([x[first + (lane * 3 + 5) % width], x[np.where(up < first, lane, up)],
                        x[np.where(down < first + width, down, lane)],
                        x[np.where(across < first + width, across, lane)]]))
    x = rng.integers(-100, 100, 12345).astype("float32")
    equal("a sum by warps", run(m, "total", (3,), (256,), (x, np.int32(x.size), np.zeros(1, "float32"))),
          x.sum(keepdims=True))
    x = rng.integers(0, 6, n).astype("int32")
    x[64:] = rng.integers(1, 5, 32)
    w = np.repeat(x.reshape(3, 32), 32, 0).reshape(n, 32)  # for each thread, what its warp has
    bits = np.left_shift(1, np.arange(32))
    equal("votes and sums of warps", run(m, "ballots", (1,), (n,), (x, np.zeros((8, n), "uint32"))), np.array([
        ((w > 2) * bits).sum(1), (w == 0).any(1), (w < 5).all(1), ((w == x[:, None]) * bits).sum(1),
        ((w < 5).all(1) | (w >= 5).all(1)) * 0xffffffff, w.sum(1), w.max(1) * 100 + w.min(1),
        np.bitwise_xor.reduce(w, 1)]).astype("uint32"))
    v = np.arange(16)
    for d in (8, 4, 2, 1):
        v = v + np.where(np.arange(16) + d < 16, v[(np.arange(16) + d) % 16], v)
    upper = np.full(16, np.array(31 + 0xaaaa0000, "uint32").view("int32"))
    equal("parts of a warp", run(m, "halves", (2,), (32,), (np.zeros(32, "int32"),)),
          np.concatenate([v, upper])[::-1].astype("int32"))
    mp.raw_module_free(m)


# --- kernels of several kinds in a source -----------------------------------------------------------------------------

MIXED = r"""
extern "C" __global__ void number(int n, double *x) /* a kernel that gets places */
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i] + i;
}
extern "C" __global__ void flip(int n, double *x)
{
    __shared__ double all[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    all[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = all[n - 1 - threadIdx.x];
}
template <typename T> __global__ void twice(int n, T *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}
"""
LOOP = r"""
extern "C" __global__ void loop(int n, double *x) /* a loop over the threads of a row */
{
    if (threadIdx.x < n)
        x[blockIdx.x * blockDim.x + threadIdx.x] *= 3;
}
"""


def check_mixed():
    x = rng.standard_normal(320)
    right = {"number": 2 * x + np.arange(320), "flip": x.reshape(5, 64)[:, ::-1].ravel(), "twice<double>": 2 * x,
             "loop": 3 * x}
    for text in (MIXED, MIXED + LOOP):
        m = module("mixed", text, expressions=["twice<double>"])
        for name, want in right.items():
            if name != "loop" or text != MIXED:
                n = 64 if name in ("flip", "loop") else 320
                equal(f"{name} beside other kernels", run(m, name, (5,), (64,), (np.int32(n), x)), want)
        mp.raw_module_free(m)


# --- what the host takes and refuses ----------------------------------------------------------------------------------

def check_texts():
    source = 'extern "C" __global__ void flip(int *x)\n{\n    const int mine = x[1 - threadIdx.x];\n    MEET();\n' \
             "    x[threadIdx.x] = mine;\n}\n"
    m = module("flip", source, options="-DMEET=__syncthreads")
    equal("a barrier that options name", run(m, "flip", (1,), (2,), (np.array([3, 4], "int32"),)), [4, 3])
    mp.raw_module_free(m)
    if mp.ctx_device_kind() != "host":
        return
    for text, what in (("__activemask()", "line 4 of module wrong has __activemask"),
                       ("asm(\"\")", "has asm, code of the GPU's"),
                       ("cooperative_groups::this_thread_block().sync()", "has cooperative_groups")):
        mp.fails("MNP_ERR_UNSUPPORTED", what, module, "wrong", source.replace("MEET()", text))
    mp.fails("MNP_ERR_COMPILE", "__shfl_down", module, "wrong", source.replace("MEET()", "__shfl_down(1, 2)"))
    mp.fails("MNP_ERR_COMPILE", "8 bytes", module, "wrong",
             source.replace("MEET()", "struct { int a[3]; } v; __shfl_sync(~0u, v, 0)"))


# --- functions of CUDA that C lacks ------------------------------------------------------------------------------------

def check_half_turns():
    """Sines and cosines of x half turns: exact on the axes, and elsewhere accurate to 2 ulp, as CUDA says."""
    m = module("turns", r"""
static __device__ void find(float x, float *y)
{
    sincospif(x, &y[0], &y[1]);
    y[2] = sinpif(x);
    y[3] = cospif(x);
}
static __device__ void find(double x, double *y)
{
    sincospi(x, &y[0], &y[1]);
    y[2] = sinpi(x);
    y[3] = cospi(x);
}
template <typename T> __global__ void turn(int n, const T *x, T *y)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        find(x[i], &y[4 * i]);
}
""", expressions=["turn<float>", "turn<double>"])
    for name, dtype in (("float", "float32"), ("double", "float64")):
        x = np.concatenate((np.arange(-9, 10) / 2, rng.uniform(-3, 3, 500))).astype(dtype)
        got = run(m, f"turn<{name}>", (1,), (64,), (np.int32(len(x)), x, np.zeros(4 * len(x), dtype))).reshape(-1, 4)
        angles = np.pi * (x.astype("longdouble") % 2)
        want = np.stack((np.sin(angles), np.cos(angles)) * 2, 1)
        quarters = np.arange(-9, 10) % 4
        want[:19] = np.stack((np.array([0, 1, 0, -1])[quarters], np.array([1, 0, -1, 0])[quarters]) * 2, 1)
        mp.ok(bool(np.all(got[:19] == want[:19])), f"axes that half turns meet, {dtype}")
        mp.ok(bool(np.all(abs(got - want) <= 4 * np.finfo(dtype).eps)), f"sines and cosines of half turns, {dtype}")
    mp.raw_module_free(m)


check_shared()
check_warps()
check_half_turns()
check_mixed()
check_texts()
mp.done()
