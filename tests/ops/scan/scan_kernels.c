/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernels scans choose on a GPU, and that each of them compiles: a case states an array and an axis, and what the
 * kernel and the grids of its launches must be, in the words of describe().  And how many threads that scan short lines
 * wait for one another at a bank of shared memory.
 */
#include <config.h>

#include <string.h>

#include <maniple/scan.h>
#include <maniple/ufunc_methods.h>

#include "tests/jit/harness.h"

#include "ops/scan/scan_plan.h"

static void describe(const mnp__kernel_spec *spec)
{
    static const char *const ways[] = {"rows", "blocks", "tiles", "columns", "short", "bands"};
    if (strcmp(spec->file, "reduction/ufunc_reduce.cu") == 0)
        snprintf(gpu.chosen, sizeof gpu.chosen, "fold%s:", definition(spec, "MNP_ORDERED") ? " in order" : "");
    else
        snprintf(gpu.chosen, sizeof gpu.chosen, "%s of %d, %dx%d:", ways[definition(spec, "MNP_WAY")],
                 definition(spec, "MNP_KEPT"), definition(spec, "MNP_VECTOR"), definition(spec, "MNP_UNROLL"));
}

typedef mnp_status (*scanner)(const mnp_array *x, int axis, mnp_array **out_p);

static mnp_status cumsum(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_cumsum(x, axis, NULL, out_p);
}

static mnp_status nancumprod(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_nancumprod(x, axis, NULL, out_p);
}

static mnp_status accumulate_gcd(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_accumulate("gcd", x, axis, out_p);
}

static mnp_status accumulate_power(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_accumulate("power", x, axis, out_p);
}

static mnp_status add_whole(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_reduceat("add", x, 1, (const int64_t[]){0}, axis, out_p);
}

static const struct scan_case {
    const char *what, *kernel;
    scanner function;
    mnp_dtype dtype;
    int ndim, axis;
    int64_t shape[4], strides[4];
    size_t address; /* beyond a multiple of 256 */
} cases[] = {
    {"one line", "tiles of 1, 4x8: 32768", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 0},
    {"of float64", "tiles of 1, 2x16: 16384", cumsum, MNP_FLOAT64, 1, 0, {1 << 27}, {1}, 0},
    {"of bytes, whose sums are longer", "tiles of 1, 2x16: 32768", cumsum, MNP_INT8, 1, 0, {1 << 28}, {1}, 0},
    {"of complex numbers", "tiles of 1, 1x4: 65536", nancumprod, MNP_COMPLEX128, 1, 0, {1 << 26}, {1}, 0},
    {"not aligned", "tiles of 1, 4x8: 32769", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 4},
    {"backwards", "tiles of 1, 1x8: 131072", mnp_cummax, MNP_FLOAT32, 1, 0, {1 << 28}, {-1}, 0},
    {"long rows", "blocks of 1, 4x4: 16384", cumsum, MNP_FLOAT32, 2, 1, {16384, 16384}, {16384, 1}, 0},
    {"long rows, not aligned", "blocks of 1, 4x4: 16384", cumsum, MNP_FLOAT32, 2, 1, {16384, 4097}, {4098, 1}, 4},
    {"a few long rows", "tiles of 1, 8x8: 384", mnp_cummax, MNP_FLOAT16, 2, 1, {6, 1 << 20}, {1 << 20, 1}, 0},
    {"short rows", "short of 1, 2x1: 3907", mnp_cummin, MNP_FLOAT64, 2, 1, {1000000, 8}, {8, 1}, 0},
    {"few columns", "bands of 1, 1x31: 13441", cumsum, MNP_FLOAT32, 2, 0, {20000000, 5}, {5, 1}, 0},
    {"few columns of integers", "bands of 1, 1x23: 18116", cumsum, MNP_INT32, 2, 0, {20000000, 5}, {5, 1}, 0},
    {"columns", "bands of 1, 4x31: 34048", cumsum, MNP_FLOAT32, 2, 0, {16384, 16384}, {16384, 1}, 0},
    {"a transpose", "bands of 1, 4x31: 34048", cumsum, MNP_FLOAT32, 2, 1, {16384, 16384}, {1, 16384}, 0},
    {"a permuted array", "bands of 1, 4x31: 34816", cumsum, MNP_FLOAT32, 3, 1, {64, 4096, 1024}, {1, 65536, 64}, 0},
    {"lines of a permuted array", "blocks of 1, 4x4: 16384", cumsum, MNP_FLOAT32, 2, 0, {16384, 16384}, {1, 16384}, 0},
    {"the middle", "bands of 2, 4x31: 6000", mnp_cummin, MNP_INT32, 3, 1, {1000, 300, 128}, {38400, 128, 1}, 0},
    {"short lines", "short of 1, 1x1: 12618", cumsum, MNP_FLOAT32, 2, 1, {164025, 405}, {405, 1}, 0},
    {"of 16 elements", "short of 1, 4x1: 8192", cumsum, MNP_FLOAT32, 2, 1, {1 << 21, 16}, {16, 1}, 0},
    {"of 64 float16", "short of 1, 8x1: 4096", cumsum, MNP_FLOAT16, 2, 1, {1 << 19, 64}, {64, 1}, 0},
    {"of 64 bytes, not aligned", "short of 1, 1x1: 8192", cumsum, MNP_FLOAT32, 2, 1, {1 << 21, 16}, {16, 1}, 4},
    {"short lines of bytes", "short of 1, 1x1: 29297", cumsum, MNP_INT8, 2, 1, {7500000, 7}, {7, 1}, 0},
    {"short lines in steps", "short of 1, 1x1: 1091", cumsum, MNP_FLOAT16, 3, 2, {12, 5814, 128}, {2976768, 512, 2}, 0},
    {"short lines with gaps", "short of 1, 1x1: 11875", cumsum, MNP_FLOAT64, 2, 1, {190000, 129}, {130, 1}, 0},
    {"alternating lines", "short of 2, 1x1: 8481", cumsum, MNP_FLOAT64, 3, 1, {16962, 257, 5}, {1290, 5, 1}, 0},
    {"runs of pairs", "short of 2, 2x1: 1770", cumsum, MNP_FLOAT32, 3, 2, {354, 13312, 2}, {28672, 2, 1}, 0},
    {"runs, not aligned", "short of 2, 1x1: 2900", cumsum, MNP_FLOAT32, 3, 2, {100, 29191, 5}, {145960, 5, 1}, 4},
    {"pairs of columns", "columns of 2, 1x2: 8413", cumsum, MNP_FLOAT32, 3, 1, {389, 2, 22103}, {44207, 22103, 1}, 0},
    {"greatest common divisors", "tiles of 1, 4x8: 32768", accumulate_gcd, MNP_INT32, 1, 0, {1 << 28}, {1}, 0},
    {"powers in order", "fold in order: 4", accumulate_power, MNP_FLOAT32, 2, 0, {100, 1000}, {1000, 1}, 0},
    {"segments", "fold: 4", add_whole, MNP_FLOAT64, 2, 0, {100, 1000}, {1000, 1}, 0},
    {"anything that is small", "rows of 8, 1x8: 1", mnp_cummax, MNP_FLOAT64, 3, 1, {3, 4, 5}, {40, 10, 2}, 0},
};

/* The same in the reproducible mode. */
static const struct scan_case steady_cases[] = {
    {"one line of steady sums", "tiles of 1, 4x2: 131072", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 0},
    {"rows of steady sums", "blocks of 1, 2x2: 16384", cumsum, MNP_FLOAT64, 2, 1, {16384, 16384}, {16384, 1}, 0},
    {"columns of steady sums", "bands of 1, 2x15: 17664", cumsum, MNP_COMPLEX64, 2, 0, {8192, 8192}, {8192, 1}, 0},
    {"short rows of steady sums", "rows of 1, 2x2: 7813", cumsum, MNP_FLOAT64, 2, 1, {1000000, 8}, {8, 1}, 0},
};

static mnp_array array_of(const struct scan_case *c)
{
    return array_without_memory(c->address, c->dtype, c->ndim, c->shape, c->strides);
}

static void run_case(const struct scan_case *c)
{
    mnp_array x = array_of(c), *result = NULL;
    forget_kernels();
    mnp_status st = c->function(&x, c->axis, &result);
    ok(st == MNP_OK && gpu.failures == 0 && strcmp(gpu.chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? gpu.chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
}

/* ---- short lines in shared memory ---- */

/* Of the threads of a warp, which access `bytes` from at[] on or nothing if that is negative: how many meet at a bank. */
static int count_conflicts(const int64_t *at, int64_t bytes)
{
    const int at_once = bytes > 4 ? (int)(128 / bytes) : 32;
    int most = 1;
    for (int first = 0; first < 32; first += at_once) {
        int64_t words[32][32];
        int count[32] = {0};
        for (int t = first; t < first + at_once; t++) {
            for (int64_t word = at[t] / 4; at[t] >= 0 && 4 * word < at[t] + bytes; word++) {
                const int bank = (int)(word % 32);
                int i = 0;
                while (i < count[bank] && words[bank][i] != word)
                    i++;
                if (i == count[bank])
                    words[bank][count[bank]++] = word;
                most = count[bank] > most ? count[bank] : most;
            }
        }
    }
    return most;
}

/* The most conflicts as a warp goes through lines of `length` elements of `size` bytes, by kernels/scan/scan_short.h. */
static int conflicts_of(const mnp__scan_plan *plan, int64_t length, int64_t size, int64_t gap)
{
    const int team = (int)plan->slots[MNP__SCAN_TEAM];
    const int64_t strip = (int64_t)plan->slots[MNP__SCAN_STRIP], vector = plan->signature.vector;
    int most = 1;
    for (int64_t j = 0; j < strip; j++) {
        int64_t at[32];
        for (int64_t t = 0; t < 32; t++) {
            const int64_t begin = ((t >> (5 - team)) * strip + j) * vector, line = t & ((32 >> team) - 1);
            at[t] = begin < length ? (line * (length + gap) + begin) * size : -1;
        }
        const int here = count_conflicts(at, vector * size);
        most = here > most ? here : most;
    }
    return most;
}

/*
 * Lines of 2 elements up to the most of which a block has four: all are `most` conflicts at worst, none where lines of
 * the larger operand, of `size` bytes an element, have whole 16 bytes, and they fit.
 */
static void check_short(mnp_dtype from, mnp_dtype to, size_t address, int most)
{
    const int64_t in = (int64_t)mnp_dtype_size(from), out = (int64_t)mnp_dtype_size(to), size = in > out ? in : out;
    const mnp__reduction_spec spec = {.accumulator = 8};
    const int64_t limit = MNP__SCAN_SHORT_BYTES / size / 4, lines = 100000;
    int worst = 1, whole = 1;
    bool fit = true;
    for (int64_t length = 2; length <= limit; length++) {
        const int64_t shape[] = {lines, length}, strides[] = {length, 1};
        mnp_array x = array_without_memory(address, from, 2, shape, strides);
        mnp_array y = array_without_memory(0, to, 2, shape, strides);
        mnp__scan_plan plan;
        mnp__scan_plan_make(&spec, &x, &y, 1, 0, 0, false, &plan);
        const int64_t bytes = (length + plan.gap[0]) * in + (in == out ? 0 : (length + plan.gap[1]) * out);
        fit = fit && plan.signature.way == MNP_SCAN_SHORT && plan.slots[MNP__SCAN_PARTS] >= 4 &&
              (int64_t)plan.slots[MNP__SCAN_PARTS] * bytes <= mnp__scan_short_bytes(in, out) &&
              (int64_t)(plan.slots[MNP__SCAN_STRIP] << plan.slots[MNP__SCAN_TEAM]) * plan.signature.vector >= length;
        const int k = in > out ? 0 : 1, here = conflicts_of(&plan, length, size, plan.gap[k]);
        worst = here > worst ? here : worst;
        if (length * size % 16 == 0)
            whole = here > whole ? here : whole;
        mnp_layout_free(x.layout);
        mnp_layout_free(y.layout);
    }
    ok(fit && worst <= most && (whole == 1 || address > 0),
       "lines of up to %d %s, scanned to %s, %d bytes beyond an aligned address: %d threads meet at a bank, %d if "
       "lines "
       "have whole 16 bytes",
       (int)limit, mnp_dtype_name(from), mnp_dtype_name(to), (int)address, worst, whole);
}

static void check_banks(void)
{
    check_short(MNP_FLOAT32, MNP_FLOAT32, 0, 2);
    check_short(MNP_FLOAT64, MNP_FLOAT64, 0, 2);
    check_short(MNP_COMPLEX128, MNP_COMPLEX128, 0, 1);
    check_short(MNP_INT8, MNP_INT64, 0, 2);
    check_short(MNP_INT32, MNP_INT64, 0, 2);
    check_short(MNP_FLOAT16, MNP_FLOAT16, 0, 4);
    check_short(MNP_INT8, MNP_INT8, 0, 8);
    check_short(MNP_FLOAT32, MNP_FLOAT32, 4, 4);
    check_short(MNP_FLOAT64, MNP_FLOAT64, 8, 2);
}

static void run(void)
{
    check_banks();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
    gpu.ctx.config.is_reproducible = true;
    for (size_t i = 0; i < sizeof steady_cases / sizeof *steady_cases; i++)
        run_case(&steady_cases[i]);
}

int main(void)
{
    gpu.describe = describe;
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
