/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Your own kernels, compiled when they are first used: element-wise ones from a few lines, which run on both devices,
 * and raw ones, whole CUDA sources that are launched on this rank's block.
 *
 *   mnp_elementwise_new(ctx, "T x, T y, float64 scale", "T z", "z = (x + y) * scale", NULL, &kernel);
 *   mnp_elementwise_call(kernel, MNP_INPUTS(a, b, MNP_SCALAR(ctx, 0.5)), MNP_OUTPUTS(&c));
 *
 *   mnp_raw_module_new(ctx, source, NULL, &module);
 *   mnp_raw_module_kernel(module, "saxpy", &saxpy);
 *   mnp_raw_kernel_launch(saxpy, &(mnp_launch){.grid = {64}, .block = {256}},
 *                         MNP_ARGS(MNP_ARG(n), MNP_ARG(2.0f), MNP_ARG(x), MNP_ARG(y)));
 *
 * Compiled code is kept on disk: see MANIPLE_CACHE_DIR.  What a source includes is found through -I options, and counts
 * as part of it.
 */
#ifndef MANIPLE_KERNEL_H
#define MANIPLE_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- element-wise kernels ---- */

typedef struct mnp_elementwise mnp_elementwise;

typedef struct mnp_elementwise_options {
    const char *name;          /* an identifier, for messages and the cache; NULL: "elementwise" */
    const char *preamble;      /* C++ in front of the kernel: functions, types, #include lines */
    const char *nvrtc_options; /* separated by spaces; the host's compiler gets the -D, -U and -I among them */
} mnp_elementwise_options;

/*
 * Make a kernel that computes outputs from inputs element by element, as cupy.ElementwiseKernel.
 *
 *   inputs   parameters, separated by commas: "float32 x, T y, raw int64 table".  A type is NumPy's name of a dtype, or
 *            one letter that stands for the dtype of the arrays it is called with; the body knows the letter as a type.
 *            `raw`: the body has the whole array, in C order, as name[j] for 0 <= j < name.size()
 *   outputs  parameters, as above, but not raw.  A letter that no input has is the dtype of the output that is given
 *   body     C++ statements that assign the outputs, which are 0 until then, whatever an array that is given holds (to
 *            add to an array, make it an input too).  They know `i`, the element's index in the whole array in C order,
 *            and `n`, the number of elements, both int64_t; the mathematical functions of CUDA; and those of NumPy as
 *            mnp_NAME.  float16 and bfloat16 are computed with as float; complex numbers are complex<float> and
 *            complex<double>, with real(), imag() and arithmetic
 *   options  NULL: none
 *
 * Multiplications and additions may be fused, as by CUDA's compilers.  Compiles nothing yet.  Release with
 * mnp_elementwise_free().  Not collective.  MNP_ERR_ARG for a parameter list that is wrong, with the position;
 * MNP_ERR_UNSUPPORTED for a raw output; MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_elementwise_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *body,
                                       const mnp_elementwise_options *options, mnp_elementwise **kernel_p);

/*
 * Run it: mnp_elementwise_call(kernel, MNP_INPUTS(x, y), MNP_OUTPUTS(&z)).  Inputs are broadcast and brought together,
 * as those of mnp_add() are, and may be views; raw ones may have any shape, and travel whole to every rank.  A scalar
 * (MNP_SCALAR) takes its parameter's type, which must be able to hold its value; letters that scalars alone have are
 * bool, int64, float64 or complex128.  Outputs that are NULL are made, others reused; there must be an input that is
 * neither raw nor a scalar, or an output, to tell the shape.  An output may be an input.
 *
 * Collective.  MNP_ERR_ARG for arrays of another dtype than their parameter, or as many as the kernel has not, or
 * shapes that do not broadcast; MNP_ERR_COMPILE with the compiler's words and the line of the body; MNP_ERR_MEMORY;
 * MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_elementwise_call(mnp_elementwise *kernel, int ninputs, const mnp_array *const *inputs,
                                        int noutputs, mnp_array **const *outputs_p);

/* Counts and lists them, for C: MNP_INPUTS(x, y), MNP_OUTPUTS(&z).  MNP_NO_INPUTS where there are none. */
#define MNP_INPUTS(...)                                                                                                \
    (int)(sizeof((const mnp_array *const[]){__VA_ARGS__}) / sizeof(const mnp_array *)), (const mnp_array *const[])     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define MNP_OUTPUTS(...)                                                                                               \
    (int)(sizeof((mnp_array **const[]){__VA_ARGS__}) / sizeof(mnp_array **)), (mnp_array * *const[])                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define MNP_NO_INPUTS 0, NULL

/* Release it; NULL is accepted.  Not collective. */
MNP_API void mnp_elementwise_free(mnp_elementwise *kernel);

/* ---- raw kernels ---- */

typedef struct mnp_raw_module mnp_raw_module;
typedef struct mnp_raw_kernel mnp_raw_kernel; /* belongs to its module */

typedef struct mnp_raw_module_options {
    const char *name;          /* an identifier, for messages and the cache; NULL: "module" */
    const char *nvrtc_options; /* separated by spaces; the host's compiler gets the -D, -U and -I among them */
    const char *const *name_expressions; /* NULL, or kernels and variables that C++ names, "add<float>"; then NULL */
} mnp_raw_module_options;

/*
 * Compile a CUDA source with kernels (__global__ functions) and constants, as cupy.RawModule.  Functions without an
 * execution space are the device's.  A source may include "maniple/prelude.h", which has int64_t and its like,
 * mnp_float16, mnp_complex64 and so on, and "maniple/math.h", which has NumPy's functions of these as mnp_NAME; on GPUs
 * also the CUDA toolkit's headers, where the toolkit is installed.
 *
 * On the host device the same source runs where its threads need not meet: each block's threads run one after the
 * other.  Barriers, warp shuffles and votes, cooperative groups and inline PTX are MNP_ERR_UNSUPPORTED there, naming
 * the line, and a launch may ask for 48 KiB of shared memory.
 *
 * Collective.  MNP_ERR_COMPILE with the compiler's words and the lines of the source, MNP_ERR_UNSUPPORTED,
 * MNP_ERR_MEMORY, MNP_ERR_DEVICE.  Release with mnp_raw_module_free(), after which its kernels are gone.
 */
MNP_API mnp_status mnp_raw_module_new(mnp_ctx *ctx, const char *source, const mnp_raw_module_options *options,
                                      mnp_raw_module **module_p);

/* Release a module and its kernels once what they do is done; NULL is accepted.  Not collective. */
MNP_API void mnp_raw_module_free(mnp_raw_module *module);

/*
 * The kernel of that name: a function with C linkage (extern "C"), or one of the module's name expressions, spelled as
 * there.  Not collective.  MNP_ERR_ARG if there is none.
 */
MNP_API mnp_status mnp_raw_module_kernel(mnp_raw_module *module, const char *name, mnp_raw_kernel **kernel_p);

/*
 * Where a __constant__ or __device__ variable lies in the device's memory, and its size in bytes; either may be NULL.
 * `name` is a variable of the global namespace, or a name expression, which begins with &.  Not collective.
 * MNP_ERR_ARG if there is none.
 */
MNP_API mnp_status mnp_raw_module_variable(mnp_raw_module *module, const char *name, void **pointer_p, size_t *size_p);

/*
 * Copy to such a variable: kernels that are launched on the context's stream from now on see it.  `data` may be reused
 * at once.  Not collective.  MNP_ERR_ARG if there is none, or it is smaller than `size`.
 */
MNP_API mnp_status mnp_raw_module_set(mnp_raw_module *module, const char *name, const void *data, size_t size);

/* What a kernel may be launched with, and what it uses.  Not collective. */
typedef struct mnp_raw_kernel_info {
    int max_threads;           /* of a block */
    int registers;             /* of a thread; 0 on the host device */
    int parameters;            /* -1 where the driver cannot tell */
    size_t shared_bytes;       /* static shared memory of a block */
    size_t max_dynamic_shared; /* what a launch may ask for besides */
    size_t local_bytes;        /* local memory of a thread */
} mnp_raw_kernel_info;
MNP_API mnp_status mnp_raw_kernel_get_info(const mnp_raw_kernel *kernel, mnp_raw_kernel_info *info);

/* Where and how wide a kernel runs.  y and z that are 0 count as 1. */
typedef struct mnp_launch {
    unsigned grid[3], block[3]; /* blocks, and threads of a block, along x, y and z */
    size_t shared_bytes;        /* dynamic shared memory of a block */
    void *stream;               /* a cudaStream_t of yours, on this rank's GPU; NULL: that of mnp_ctx_stream() */
} mnp_launch;

/*
 * One argument: an array's block, bytes, or a number of the kernel's own type.  MNP_ARG() and the functions make them.
 */
typedef struct mnp_argument {
    const mnp_array *array; /* if size is 0: the address of this rank's block, see mnp_array_local_data() */
    const void *bytes;      /* if not NULL: `size` bytes from here, such as a struct; read by the launch itself */
    size_t size;
    union {
        int8_t int8;
        int16_t int16;
        int32_t int32;
        int64_t int64;
        float float32;
        double float64;
        const void *pointer;
    } value; /* else */
} mnp_argument;

/*
 * Enqueue a kernel on this rank's device, with as many arguments as it has parameters, of their sizes.  Arrays are not
 * brought together, and an empty block is a null pointer: what a kernel does with its rank's block is its own affair.
 *
 * Not collective.  MNP_ERR_ARG, with the values, for a grid or block that is empty or too large for the device or the
 * kernel, too much shared memory, or arguments that do not fit the parameters: nothing is enqueued then.
 * MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_raw_kernel_launch(mnp_raw_kernel *kernel, const mnp_launch *launch, int nargs,
                                         const mnp_argument *args);

/* The CUDA stream that array operations are enqueued on, a cudaStream_t; NULL on the host device.  Not collective. */
MNP_API void *mnp_ctx_stream(mnp_ctx *ctx);

/* Counts and lists arguments, for C: MNP_ARGS(MNP_ARG(x), MNP_ARG(2.0f)).  MNP_NO_ARGS where there are none. */
#define MNP_ARGS(...)                                                                                                  \
    (int)(sizeof((const mnp_argument[]){__VA_ARGS__}) / sizeof(mnp_argument)), (const mnp_argument[])                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define MNP_NO_ARGS 0, NULL

/* An argument of the type that the expression has in C: an array, a number, or a pointer to device memory. */
#define MNP_ARG(x)                                                                                                     \
    _Generic((x),                                                                                                      \
        mnp_array *: mnp_arg_array,                                                                                    \
        const mnp_array *: mnp_arg_array,                                                                              \
        _Bool: mnp_arg_int8,                                                                                           \
        signed char: mnp_arg_int8,                                                                                     \
        char: mnp_arg_int8,                                                                                            \
        unsigned char: mnp_arg_uint8,                                                                                  \
        short: mnp_arg_int16,                                                                                          \
        unsigned short: mnp_arg_uint16,                                                                                \
        int: mnp_arg_int32,                                                                                            \
        unsigned: mnp_arg_uint32,                                                                                      \
        long: mnp_arg_int64,                                                                                           \
        unsigned long: mnp_arg_uint64,                                                                                 \
        long long: mnp_arg_int64,                                                                                      \
        unsigned long long: mnp_arg_uint64,                                                                            \
        float: mnp_arg_float32,                                                                                        \
        double: mnp_arg_float64,                                                                                       \
        default: mnp_arg_pointer)(x)

/* `size` bytes from `bytes`, such as a struct. */
static inline mnp_argument mnp_arg_bytes(const void *bytes, size_t size)
{
    mnp_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.bytes = bytes;
    argument.size = size;
    return argument;
}

static inline mnp_argument mnp_arg_array(const mnp_array *array)
{
    mnp_argument argument = mnp_arg_bytes(NULL, 0);
    argument.array = array;
    return argument;
}

#define MNP_ARG_FUNCTION(name, type, field, field_type)                                                                \
    static inline mnp_argument mnp_arg_##name(type value)                                                              \
    {                                                                                                                  \
        mnp_argument argument = mnp_arg_bytes(NULL, sizeof(type));                                                     \
        argument.value.field = (field_type)value;                                                                      \
        return argument;                                                                                               \
    }
MNP_ARG_FUNCTION(int8, int8_t, int8, int8_t)
MNP_ARG_FUNCTION(uint8, uint8_t, int8, int8_t)
MNP_ARG_FUNCTION(int16, int16_t, int16, int16_t)
MNP_ARG_FUNCTION(uint16, uint16_t, int16, int16_t)
MNP_ARG_FUNCTION(int32, int32_t, int32, int32_t)
MNP_ARG_FUNCTION(uint32, uint32_t, int32, int32_t)
MNP_ARG_FUNCTION(int64, int64_t, int64, int64_t)
MNP_ARG_FUNCTION(uint64, uint64_t, int64, int64_t)
MNP_ARG_FUNCTION(float32, float, float32, float)
MNP_ARG_FUNCTION(float64, double, float64, double)
MNP_ARG_FUNCTION(pointer, const void *, pointer, const void *)
#undef MNP_ARG_FUNCTION

#ifdef __cplusplus
}
#endif

#endif
