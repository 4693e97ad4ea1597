/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise kernels of the user's: types, scalars, broadcasting, raw parameters, indices, several outputs, and what
 * is refused with which words.
 */
#include <maniple.h>

#include <complex.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"

enum { ROWS = 7, COLUMNS = 5, SIZE = ROWS * COLUMNS };

static mnp_ctx *ctx;
static const int64_t shape[] = {ROWS, COLUMNS};

static mnp_array *from_host(mnp_dtype dtype, int ndim, const int64_t *extents, const void *data)
{
    mnp_array *array = NULL;
    if (mnp_array_from_host(ctx, dtype, ndim, extents, data, &array) != MNP_OK)
        mnp_exit(1);
    return array;
}

static mnp_elementwise *make(const char *inputs, const char *outputs, const char *body,
                             const mnp_elementwise_options *options)
{
    mnp_elementwise *kernel = NULL;
    if (mnp_elementwise_new(ctx, inputs, outputs, body, options, &kernel) != MNP_OK)
        mnp_exit(1);
    return kernel;
}

/* Whether an array is that one, element for element; it is freed. */
static bool holds(mnp_array *array, mnp_dtype dtype, size_t count, const void *expected)
{
    char values[8192];
    size_t size = count * mnp_dtype_size(dtype);
    bool same = array && mnp_array_dtype(array) == dtype && size <= sizeof values &&
                mnp_layout_size(mnp_array_layout(array)) == (int64_t)count &&
                mnp_array_to_host(array, MNP_ALL_RANKS, values) == MNP_OK && memcmp(values, expected, size) == 0;
    mnp_array_free(array);
    return same;
}

static void check_types(void)
{
    float x[SIZE], row[COLUMNS], sum[SIZE];
    double wide[SIZE], wide_sum[SIZE];
    for (int k = 0; k < SIZE; k++) {
        x[k] = (float)k - 10;
        row[k % COLUMNS] = 0.25f * (float)(k % COLUMNS);
        sum[k] = (x[k] + row[k % COLUMNS]) * 3;
        wide[k] = 0.5 * k;
        wide_sum[k] = (wide[k] + wide[k]) * 3;
    }
    mnp_array *a = from_host(MNP_FLOAT32, 2, shape, x), *b = from_host(MNP_FLOAT32, 1, shape + 1, row), *c = NULL,
              *d = NULL;
    mnp_array *e = from_host(MNP_FLOAT64, 2, shape, wide);
    mnp_elementwise *kernel =
        make("T x, T y, T scale", "T z", "z = (x + y) * scale", &(mnp_elementwise_options){.name = "scaled_sum"});
    mnp_status st = mnp_elementwise_call(kernel, MNP_INPUTS(a, b, MNP_SCALAR(ctx, 3)), MNP_OUTPUTS(&c));
    ok(st == MNP_OK && holds(c, MNP_FLOAT32, SIZE, sum), "(a + b) * scale of float32, broadcast, with a scalar");
    st = mnp_elementwise_call(kernel, MNP_INPUTS(e, e, MNP_SCALAR(ctx, 3.0)), MNP_OUTPUTS(&d));
    ok(st == MNP_OK && holds(d, MNP_FLOAT64, SIZE, wide_sum), "the same kernel of float64");
    c = NULL;
    st = mnp_elementwise_call(kernel, MNP_INPUTS(a, e, MNP_SCALAR(ctx, 3)), MNP_OUTPUTS(&c));
    ok(st == MNP_ERR_ARG && !c && strstr(mnp_error_message(), "y is of type T, which is float32 in this call"),
       "one letter, two dtypes: %s", mnp_error_message());
    st = mnp_elementwise_call(kernel, MNP_INPUTS(a, b), MNP_OUTPUTS(&c));
    ok(st == MNP_ERR_ARG && !c, "too few inputs: %s", mnp_error_message());
    st = mnp_elementwise_call(kernel, MNP_INPUTS(a, b, MNP_SCALAR(ctx, 3)), MNP_OUTPUTS(&a));
    ok(st == MNP_OK && holds(a, MNP_FLOAT32, SIZE, sum), "in place");
    mnp_free_all(b, e);
    mnp_elementwise_free(kernel);
}

static void check_scalars(void)
{
    const unsigned char small[] = {1, 2, 250};
    mnp_array *x = from_host(MNP_UINT8, 1, (int64_t[]){3}, small), *y = NULL, *z = NULL;
    mnp_elementwise *kernel = make("T x, T by", "T z", "z = x + by", NULL);
    mnp_status st = mnp_elementwise_call(kernel, MNP_INPUTS(x, MNP_SCALAR(ctx, 10)), MNP_OUTPUTS(&y));
    ok(st == MNP_OK && holds(y, MNP_UINT8, 3, (unsigned char[]){11, 12, 4}), "a scalar takes the array's type");
    st = mnp_elementwise_call(kernel, MNP_INPUTS(x, MNP_SCALAR(ctx, 300)), MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_ARG && !z && strstr(mnp_error_message(), "300"), "which must hold it: %s", mnp_error_message());
    st = mnp_elementwise_call(kernel, MNP_INPUTS(x, MNP_SCALAR(ctx, 0.5)), MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_ARG && !z, "and be of its kind: %s", mnp_error_message());
    st = mnp_elementwise_call(kernel, MNP_INPUTS(MNP_SCALAR(ctx, 1), MNP_SCALAR(ctx, 2)), MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_ARG && !z, "scalars alone have no shape: %s", mnp_error_message());
    mnp_elementwise_free(kernel);

    kernel = make("", "T z", "z = T(i * i + n)", NULL);
    st = mnp_elementwise_call(kernel, MNP_NO_INPUTS, MNP_OUTPUTS(&x));
    ok(st == MNP_OK && holds(x, MNP_UINT8, 3, (unsigned char[]){3, 4, 7}), "no inputs at all, an output that is given");
    st = mnp_elementwise_call(kernel, MNP_NO_INPUTS, MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_ARG && !z, "and one that is not: %s", mnp_error_message());
    mnp_elementwise_free(kernel);
}

static void check_kinds(void)
{
    const float complex given[] = {1 + 2 * I, -3 * I, 4}, other[] = {2, 1 - 1 * I, I};
    const float squares[] = {5, 9, 16};
    float complex products[3];
    for (int k = 0; k < 3; k++)
        products[k] = given[k] * conjf(other[k]) + 2;
    const int64_t three[] = {3};
    mnp_array *x = from_host(MNP_COMPLEX64, 1, three, given), *y = from_host(MNP_COMPLEX64, 1, three, other);
    mnp_array *square = NULL, *product = NULL, *right = NULL;
    mnp_elementwise *kernel = make("complex64 x, C y", "float32 square, C product, bool right",
                                   "square = x.real() * x.real() + x.imag() * x.imag();\n"
                                   "product = x * conj(y) + 2;\n"
                                   "bool large = square > 8;\n"
                                   "bool powers = abs(pow(x, 2) - x * x) + abs(pow(2, C(3)) - 8) < 1e-4f &&\n"
                                   "              pow(square, 2.0) == (double)square * square && pow(3, 2) == 9;\n"
                                   "right = large && x != C(4, 0) && powers",
                                   NULL);
    mnp_status st = mnp_elementwise_call(kernel, MNP_INPUTS(x, y), MNP_OUTPUTS(&square, &product, &right));
    ok(st == MNP_OK && holds(square, MNP_FLOAT32, 3, squares), "abs2 of complex64");
    ok(st == MNP_OK && holds(product, MNP_COMPLEX64, 3, products), "arithmetic of complex64");
    ok(st == MNP_OK && holds(right, MNP_BOOL, 3, (unsigned char[]){0, 1, 0}), "bool");
    mnp_elementwise_free(kernel);

    kernel = make("bool flag, float16 h, raw bool table", "float16 z, bool w",
                  "z = flag ? h * 2 : h + 1; w = table[table.size() - 1 - i]", NULL);
    const unsigned char flags[] = {1, 0, 1};
    const uint16_t halves[] = {0x3c00, 0x4000, 0xc200},
                   doubled[] = {0x4000, 0x4200, 0xc600}; /* 1, 2, -3 and 2, 3, -6 */
    mnp_array *flag = from_host(MNP_BOOL, 1, three, flags), *half = from_host(MNP_FLOAT16, 1, three, halves), *z = NULL;
    mnp_array *table = from_host(MNP_BOOL, 1, three, (unsigned char[]){1, 1, 0}), *w = NULL;
    st = mnp_elementwise_call(kernel, MNP_INPUTS(flag, half, table), MNP_OUTPUTS(&z, &w));
    ok(st == MNP_OK && holds(z, MNP_FLOAT16, 3, doubled) && holds(w, MNP_BOOL, 3, (unsigned char[]){0, 1, 1}),
       "float16, and a raw bool");
    mnp_free_all(x, y, flag, half, table);
    mnp_elementwise_free(kernel);
}

/* Several ranks, several threads, and any strides. */
static void check_raw_and_views(void)
{
    int64_t values[SIZE], expected[SIZE];
    for (int k = 0; k < SIZE; k++)
        values[k] = 3 * k - 20;
    for (int k = 0; k < SIZE; k++)
        expected[k] = values[SIZE - 1 - k] * 2 + values[k] + 1000000 * SIZE + k;
    mnp_array *x = from_host(MNP_INT64, 2, shape, values), *turned = NULL, *back = NULL, *z = NULL;
    mnp_elementwise *kernel = make("T x, raw T table", "T z",
                                   "#define TWICE(a) (2 * (a))\n"
                                   "z = TWICE(table[n - 1 - i]) + x + 1000000 * table.size() + i",
                                   NULL);
    mnp_status st = mnp_elementwise_call(kernel, MNP_INPUTS(x, x), MNP_OUTPUTS(&z));
    ok(st == MNP_OK && holds(z, MNP_INT64, SIZE, expected), "a raw parameter, i and n");
    z = NULL;
    bool views = mnp_transpose(x, NULL, &turned) == MNP_OK && mnp_transpose(turned, NULL, &back) == MNP_OK;
    for (int i = 0; i < COLUMNS; i++) {
        for (int j = 0; j < ROWS; j++) {
            int k = i * ROWS + j;
            expected[k] = 2 * values[SIZE - 1 - k] + values[j * COLUMNS + i] + 1000000 * SIZE + k;
        }
    }
    st = mnp_elementwise_call(kernel, MNP_INPUTS(turned, back), MNP_OUTPUTS(&z));
    ok(views && st == MNP_OK && holds(z, MNP_INT64, SIZE, expected), "of a transposed view");
    mnp_free_all(x, turned, back);
    mnp_elementwise_free(kernel);
}

static void check_relu_and_options(void)
{
    const float given[] = {-1, 0.5f, 3, 7}, expected[] = {0, 0.5f, 3, 6};
    mnp_elementwise_options options = {.name = "clipped_relu",
                                       .preamble = "template <typename R> R clipped(R x, R high)\n"
                                                   "{\n"
                                                   "    return min(max(x, 0), high);\n" /* of two types */
                                                   "}\n",
                                       .nvrtc_options = "-DHIGH=6 -D LOW=0 -lineinfo"};
    mnp_array *x = from_host(MNP_FLOAT32, 1, (int64_t[]){4}, given), *z = NULL;
    mnp_elementwise *kernel = make("T x", "T z", "z = clipped(x, T(HIGH + LOW));", &options);
    ok(mnp_elementwise_call(kernel, MNP_INPUTS(x), MNP_OUTPUTS(&z)) == MNP_OK && holds(z, MNP_FLOAT32, 4, expected),
       "clipped ReLU, by a function of the preamble and options");
    mnp_array_free(x);
    mnp_elementwise_free(kernel);
}

static void check_empty(void)
{
    mnp_array *none = NULL, *z = NULL, *zero = from_host(MNP_INT32, 0, NULL, &(int){5}), *w = NULL;
    mnp_elementwise *kernel = make("T x", "T z", "z = x + 1", NULL);
    mnp_status st = mnp_empty(ctx, MNP_INT32, 2, (int64_t[]){3, 0}, &none);
    ok(st == MNP_OK && mnp_elementwise_call(kernel, MNP_INPUTS(none), MNP_OUTPUTS(&z)) == MNP_OK &&
           mnp_array_shape(z)[1] == 0,
       "an empty array");
    ok(mnp_elementwise_call(kernel, MNP_INPUTS(zero), MNP_OUTPUTS(&w)) == MNP_OK && holds(w, MNP_INT32, 1, &(int){6}),
       "an array without dimensions");
    mnp_free_all(none, z, zero);
    mnp_elementwise_free(kernel);
}

static void check_prime_factors(void)
{
    enum { MOST = 1000 };
    int sums[MOST - 1];
    mnp_array *z = NULL;
    for (int k = 0; k < MOST - 1; k++) {
        sums[k] = 0;
        for (int rest = k + 2, p = 2; rest > 1; p++)
            for (; rest % p == 0; rest /= p)
                sums[k] += p;
    }
    mnp_elementwise *kernel = make("", "int32 total",
                                   "int rest = i + 2;\n"
                                   "total = 0;\n"
                                   "for (int p = 2; p * p <= rest; p++)\n"
                                   "    for (; rest % p == 0; rest /= p)\n"
                                   "        total += p;\n"
                                   "if (rest > 1)\n"
                                   "    total += rest;\n",
                                   &(mnp_elementwise_options){.name = "prime_factors"});
    mnp_status st = mnp_empty(ctx, MNP_INT32, 1, (int64_t[]){MOST - 1}, &z);
    if (st == MNP_OK)
        st = mnp_elementwise_call(kernel, MNP_NO_INPUTS, MNP_OUTPUTS(&z));
    ok(st == MNP_OK && holds(z, MNP_INT32, MOST - 1, sums), "sums of prime factors of 2 .. %d", MOST);
    mnp_elementwise_free(kernel);
}

static void check_compile_error(void)
{
    mnp_array *x = from_host(MNP_FLOAT32, 1, (int64_t[]){3}, (float[]){1, 2, 3}), *z = NULL;
    mnp_elementwise *wrong =
        make("T x", "T z", "T half = x / 2;\nz = hlaf + 1;\n// the end", &(mnp_elementwise_options){.name = "halve"});
    mnp_status st = mnp_elementwise_call(wrong, MNP_INPUTS(x), MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_COMPILE && !z && strstr(mnp_error_message(), "kernel body of halve does not compile") &&
           strstr(mnp_error_message(), "\n     1 | T half = x / 2;\n>    2 | z = hlaf + 1;"),
       "a body that does not compile shows its lines");
    mnp_elementwise_free(wrong);
    wrong = make("T x", "T z", "z = twice(x)",
                 &(mnp_elementwise_options){.name = "doubled",
                                            .preamble = "\ntemplate <typename R> R twice(R x) { return 2 ** x }\n"});
    st = mnp_elementwise_call(wrong, MNP_INPUTS(x), MNP_OUTPUTS(&z));
    ok(st == MNP_ERR_COMPILE && !z && strstr(mnp_error_message(), "kernel preamble of doubled does not compile") &&
           strstr(mnp_error_message(), ">    2 | template <typename R> R twice(R x)"),
       "so does a preamble");
    mnp_elementwise_free(wrong);
    mnp_elementwise *right = make("T x", "T z", "z = x + 1", NULL);
    ok(mnp_elementwise_call(right, MNP_INPUTS(x), MNP_OUTPUTS(&z)) == MNP_OK &&
           holds(z, MNP_FLOAT32, 3, (float[]){2, 3, 4}),
       "and the context goes on");
    mnp_array_free(x);
    mnp_elementwise_free(right);
}

static void refused(mnp_status status, const char *inputs, const char *outputs, const char *words)
{
    mnp_elementwise *kernel = NULL;
    mnp_status st = mnp_elementwise_new(ctx, inputs, outputs, "", NULL, &kernel);
    ok(st == status && !kernel && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

static void check_refused(void)
{
    refused(MNP_ERR_ARG, "float32 x, flot32 y", "T z", "inputs, position 12: 'flot32' is neither");
    refused(MNP_ERR_ARG, "float x", "T z", "'float' is neither");
    refused(MNP_ERR_ARG, "T x", "T x", "outputs, position 3: there is a parameter 'x' already");
    refused(MNP_ERR_ARG, "T x y", "T z", "position 5: a comma is missing");
    refused(MNP_ERR_ARG, "T x,", "T z", "position 5: a parameter is a type and a name");
    refused(MNP_ERR_ARG, "T n", "T z", "cannot be called 'n'");
    refused(MNP_ERR_ARG, "T 2x", "T z", "is not the name");
    refused(MNP_ERR_ARG, "T x", "", "at least one output");
    refused(MNP_ERR_ARG, NULL, "T z", "inputs is NULL");
    refused(MNP_ERR_UNSUPPORTED, "T x", "raw T z", "raw kernel");
    mnp_elementwise *kernel = NULL;
    ok(mnp_elementwise_new(ctx, "T x", "T z", "z = x", &(mnp_elementwise_options){.name = "a-b"}, &kernel) ==
               MNP_ERR_ARG &&
           !kernel,
       "refused: %s", mnp_error_message());
}

int main(void)
{
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_types();
    check_scalars();
    check_kinds();
    check_raw_and_views();
    check_relu_and_options();
    check_empty();
    check_prime_factors();
    check_compile_error();
    check_refused();
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
