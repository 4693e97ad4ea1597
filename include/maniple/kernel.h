/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of your own, compiled when they are first used.  Element-wise kernels are made from a few lines of C++ and
 * run on both devices.  Raw kernels are whole CUDA sources, launched on this rank's block.
 *
 *   mnp_elementwise_new(ctx, "T x, T y, float64 scale", "T z", "z = (x + y) * scale", NULL, &kernel);
 *   mnp_elementwise_call(kernel, MNP_INPUTS(a, b, MNP_SCALAR(ctx, 0.5)), MNP_OUTPUTS(&c));
 *
 *   mnp_raw_module_new(ctx, source, NULL, &module);
 *   mnp_raw_module_kernel(module, "saxpy", &saxpy);
 *   mnp_raw_kernel_launch(saxpy, &(mnp_launch){.grid = {64}, .block = {256}},
 *                         MNP_ARGS(MNP_ARG(n), MNP_ARG(2.0f), MNP_ARG(x), MNP_ARG(y)));
 *
 * Compiled code is cached on disk, in the folder MANIPLE_CACHE_DIR.  Sources may include files, which -I options find;
 * these files are part of the cache's key, so a change in one of them compiles anew.
 */
#ifndef MANIPLE_KERNEL_H
#define MANIPLE_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/lists.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- element-wise kernels ---- */

typedef struct mnp_elementwise mnp_elementwise;

typedef struct mnp_elementwise_options {
    const char *name;          /* an identifier, for messages and the cache; NULL: "elementwise" */
    const char *preamble;      /* C++ before the kernel: functions, types, #include lines */
    const char *nvrtc_options; /* separated by spaces; of these, the host's compiler gets -D, -U and -I */
} mnp_elementwise_options;

/*
 * Make a kernel that computes outputs from inputs element by element, as cupy.ElementwiseKernel.
 *
 *   inputs    parameters, separated by commas: "float32 x, T y, raw int64 table".  A type is NumPy's name of a dtype,
 *             or one letter that stands for the dtype of the arrays in the call; the body can use the letter as a type.
 *             With `raw` the body sees the whole array, in C order, as name[j] for 0 <= j < name.size()
 *   outputs   parameters, as above, but not raw.  A letter that no input has is the dtype of the existing output
 *   body      C++ statements that assign the outputs.  Before them outputs are 0, even those of an existing array (to
 *             add to an array, make it an input too).  The body can use `i`, the element's index in the whole array in
 *             C order, and `n` or `_ind.size()`, the number of elements, all int64_t; the mathematical functions of
 *             CUDA; and NumPy's functions as mnp_NAME.  float16 and bfloat16 are computed as float; complex numbers are
 *             complex<float> and complex<double>, with real(), imag() and arithmetic
 *   options   NULL: the defaults
 *
 * Multiplications and additions may be fused, as by CUDA's compilers.  Nothing is compiled yet.  Release with
 * mnp_elementwise_free().  MNP_ERR_ARG for a parameter list that is wrong, with the position; MNP_ERR_UNSUPPORTED for a
 * raw output; MNP_ERR_MEMORY.  Not collective.
 */
MNP_API mnp_status mnp_elementwise_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *body,
                                       const mnp_elementwise_options *options, mnp_elementwise **kernel_p);

/*
 * Run a kernel: mnp_elementwise_call(kernel, MNP_INPUTS(x, y), MNP_OUTPUTS(&z)).  Inputs are broadcast, may have any
 * layouts, and may be views.  Raw inputs may have any shape and are copied whole to every rank.  A scalar (MNP_SCALAR)
 * takes its parameter's type, which must be able to hold its value; a letter that only scalars use becomes bool, int64,
 * float64 or complex128.  Outputs are as in maniple/array.h, and an output may be an input.  An input that is neither
 * raw nor a scalar, or an existing output, must give the shape.
 *
 * MNP_ERR_ARG for arrays of another dtype than their parameter, a number of arrays that the kernel does not have, or
 * shapes that do not broadcast; MNP_ERR_COMPILE with the compiler's message and the line of the body; MNP_ERR_MEMORY;
 * MNP_ERR_DEVICE.  Collective.
 */
MNP_API mnp_status mnp_elementwise_call(mnp_elementwise *kernel, int ninputs, const mnp_array *const *inputs,
                                        int noutputs, mnp_array **const *outputs_p);

/* Numbers and lists of arrays, for C: MNP_INPUTS(x, y), MNP_OUTPUTS(&z), and MNP_NO_INPUTS if there are none. */
#define MNP_INPUTS(...)                                                                                                \
    MNP_COUNT_OF(const mnp_array *const, __VA_ARGS__), MNP_LIST_OF(const mnp_array *const, __VA_ARGS__)
#define MNP_OUTPUTS(...) MNP_COUNT_OF(mnp_array **const, __VA_ARGS__), MNP_LIST_OF(mnp_array **const, __VA_ARGS__)
#define MNP_NO_INPUTS 0, NULL

/* Release a kernel; NULL is accepted.  Not collective. */
MNP_API void mnp_elementwise_free(mnp_elementwise *kernel);

/* ---- raw kernels ---- */

typedef struct mnp_raw_module mnp_raw_module;
typedef struct mnp_raw_kernel mnp_raw_kernel; /* belongs to its module */

typedef struct mnp_raw_module_options {
    const char *name;                    /* an identifier, for messages and the cache; NULL: "module" */
    const char *nvrtc_options;           /* separated by spaces; of these, the host's compiler gets -D, -U and -I */
    const char *const *name_expressions; /* NULL, or a list of C++ names such as "add<float>", then NULL */
} mnp_raw_module_options;

/*
 * Compile a CUDA source with kernels (__global__ functions) and constants, as cupy.RawModule.  Functions without
 * __host__ or __device__ are compiled as __device__.  A source may include "maniple/prelude.h", which has int64_t and
 * the other integers, mnp_float16, mnp_complex64 and so on, "maniple/math.h", which has NumPy's functions of these as
 * mnp_NAME, and <cupy/complex.cuh>, which has complex<float> and complex<double> in C++17; on GPUs also the CUDA
 * toolkit's headers, if the toolkit is installed.
 *
 * On the host device the same source runs on the rank's threads, each of which takes a block at a time.  The threads of
 * a block are a loop; if the source has barriers (__syncthreads() and its kin), or the _sync functions of warps, each
 * has a stack of its own, and they take turns.  A thread that reads memory again and again until another one has
 * written it never ends there.  Cooperative groups, __activemask() and inline PTX are MNP_ERR_UNSUPPORTED, with the
 * line, and a launch may use up to 48 KiB of dynamic shared memory.
 *
 * Release with mnp_raw_module_free(), which also releases the module's kernels.  MNP_ERR_COMPILE with the compiler's
 * message and the lines of the source, MNP_ERR_UNSUPPORTED, MNP_ERR_MEMORY, MNP_ERR_DEVICE.  Collective.
 */
MNP_API mnp_status mnp_raw_module_new(mnp_ctx *ctx, const char *source, const mnp_raw_module_options *options,
                                      mnp_raw_module **module_p);

/* Release a module and its kernels after their work is done; NULL is accepted.  Not collective. */
MNP_API void mnp_raw_module_free(mnp_raw_module *module);

/*
 * The kernel of that name: a function with C linkage (extern "C"), or one of the module's name expressions, spelled in
 * the same way.  MNP_ERR_ARG if there is none.  Not collective.
 */
MNP_API mnp_status mnp_raw_module_kernel(mnp_raw_module *module, const char *name, mnp_raw_kernel **kernel_p);

/*
 * The address of a __constant__ or __device__ variable in the device's memory, and its size in bytes; either pointer
 * may be NULL.  `name` is a variable of the global namespace, or a name expression that begins with &.  MNP_ERR_ARG if
 * there is none.  Not collective.
 */
MNP_API mnp_status mnp_raw_module_variable(mnp_raw_module *module, const char *name, void **pointer_p, size_t *size_p);

/*
 * Copy `size` bytes to a variable of mnp_raw_module_variable().  Kernels that are launched on the context's stream
 * afterwards see the new value.  `data` may be changed at once.  MNP_ERR_ARG if there is no such variable, or it is
 * smaller than `size`.  Not collective.
 */
MNP_API mnp_status mnp_raw_module_set(mnp_raw_module *module, const char *name, const void *data, size_t size);

/* The limits of a kernel's launches, and the resources that it uses.  Not collective. */
typedef struct mnp_raw_kernel_info {
    int max_threads;           /* most threads of a block */
    int registers;             /* of a thread; 0 on the host device */
    int parameters;            /* -1 if the driver does not tell */
    size_t shared_bytes;       /* static shared memory of a block */
    size_t max_dynamic_shared; /* most dynamic shared memory of a launch */
    size_t local_bytes;        /* local memory of a thread */
} mnp_raw_kernel_info;
MNP_API mnp_status mnp_raw_kernel_get_info(const mnp_raw_kernel *kernel, mnp_raw_kernel_info *info);

/* The grid and the stream of a launch. y and z that are 0 count as 1. */
typedef struct mnp_launch {
    unsigned grid[3], block[3]; /* blocks, and threads of a block, along x, y and z */
    size_t shared_bytes;        /* dynamic shared memory of a block */
    void *stream;               /* a cudaStream_t of yours, on this rank's GPU; NULL: that of mnp_ctx_stream() */
} mnp_launch;

/*
 * One argument: an array's block, bytes, or a number of the kernel's own type.  MNP_ARG() and the functions below make
 * it.
 */
typedef struct mnp_argument {
    const mnp_array
        *array;        /* if size is 0: the argument is the address of this rank's block, see mnp_array_local_data() */
    const void *bytes; /* if not NULL: `size` bytes, such as a struct, which are read by the launch call */
    size_t size;
    union {
        int8_t int8;
        int16_t int16;
        int32_t int32;
        int64_t int64;
        float float32;
        double float64;
        const void *pointer;
    } value; /* otherwise, the number or pointer */
} mnp_argument;

/*
 * Enqueue a kernel on this rank's device.  The number of arguments and their sizes must be those of the kernel's
 * parameters.  Arrays are not redistributed: the kernel sees this rank's block alone, as a null pointer if it is empty.
 *
 * MNP_ERR_ARG, with the values, for a grid or block that is empty or too large for the device or the kernel, too much
 * shared memory, or arguments that do not match the parameters; nothing is enqueued then.  MNP_ERR_DEVICE.  Not
 * collective.
 */
MNP_API mnp_status mnp_raw_kernel_launch(mnp_raw_kernel *kernel, const mnp_launch *launch, int nargs,
                                         const mnp_argument *args);

/* The CUDA stream that array operations are enqueued on, a cudaStream_t; NULL on the host device.  Not collective. */
MNP_API void *mnp_ctx_stream(mnp_ctx *ctx);

/*
 * The number and the list of arguments: MNP_ARGS(MNP_ARG(x), MNP_ARG(2.0f)), or MNP_NO_ARGS if there are none.
 */
#define MNP_ARGS(...) MNP_COUNT_OF(const mnp_argument, __VA_ARGS__), MNP_LIST_OF(const mnp_argument, __VA_ARGS__)
#define MNP_NO_ARGS 0, NULL

/* An argument from an expression, of its type in C: an array, a number, or a pointer to device memory. */
#ifdef __cplusplus
#define MNP_ARG(x) mnp_arg_of(x)
#else
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
#endif

/* An argument of `size` bytes at `bytes`, such as a struct. */
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
} /* extern "C" */

inline mnp_argument mnp_arg_of(const mnp_array *array)
{
    return mnp_arg_array(array);
}

inline mnp_argument mnp_arg_of(mnp_array *array)
{
    return mnp_arg_array(array);
}

template <typename T> mnp_argument mnp_arg_of(T *pointer)
{
    return mnp_arg_pointer(pointer);
}

template <typename T> mnp_argument mnp_arg_of(T number)
{
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "MNP_ARG takes arrays, numbers and pointers");
    if constexpr (std::is_same<T, float>::value)
        return mnp_arg_float32(number);
    else if constexpr (std::is_floating_point<T>::value)
        return mnp_arg_float64(number);
    else if constexpr (sizeof(T) == 1)
        return mnp_arg_int8((int8_t)number);
    else if constexpr (sizeof(T) == 2)
        return mnp_arg_int16((int16_t)number);
    else if constexpr (sizeof(T) == 4)
        return mnp_arg_int32((int32_t)number);
    else
        return mnp_arg_int64((int64_t)number);
}
#endif

#endif
