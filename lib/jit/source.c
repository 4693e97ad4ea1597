/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the single text that is compiled for a kernel spec. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/conditions.h"
#include "jit/jit.h"
#include "jit/prune.h"

enum { MAX_INCLUDES = 32 };

struct included {
    const char *files[MAX_INCLUDES];
    int count;
    bool complex;                /* with functions of complex numbers */
    mnp__conditions *conditions; /* NULL: they are the compiler's */
    const char *generated;       /* replaces #include "generated" */
    size_t begin, end;           /* where it is in the text */
};

const char *mnp__jit_type(mnp_dtype dtype)
{
    static const char *const types[MNP_NUM_DTYPES] = {
        [MNP_BOOL] = "mnp_bool",
        [MNP_INT8] = "int8_t",
        [MNP_INT16] = "int16_t",
        [MNP_INT32] = "int32_t",
        [MNP_INT64] = "int64_t",
        [MNP_UINT8] = "uint8_t",
        [MNP_UINT16] = "uint16_t",
        [MNP_UINT32] = "uint32_t",
        [MNP_UINT64] = "uint64_t",
        [MNP_FLOAT16] = "mnp_float16",
        [MNP_BFLOAT16] = "mnp_bfloat16",
        [MNP_FLOAT32] = "float",
        [MNP_FLOAT64] = "double",
        [MNP_COMPLEX64] = "mnp_complex64",
        [MNP_COMPLEX128] = "mnp_complex128",
    };
    return types[dtype];
}

static const struct mnp__kernel_source *find_file(const char *name, size_t length)
{
    for (const struct mnp__kernel_source *file = mnp__kernel_sources; file->name; file++) {
        if (strlen(file->name) == length && strncmp(file->name, name, length) == 0)
            return file;
    }
    return NULL;
}

static mnp_status append_whole_generated(struct included *included, mnp__text *text);

/* The length of a line with its newline. */
static size_t line_size(const char *line)
{
    size_t size = strcspn(line, "\n");
    return size + (line[size] == '\n');
}

/* The quoted name in a line that begins with that directive and a quote; otherwise NULL. */
static const char *quoted(const char *line, const char *directive, size_t *length_p)
{
    size_t length = strlen(directive);
    if (strncmp(line, directive, length) != 0)
        return NULL;
    *length_p = strcspn(line + length, "\"\n");
    return line + length;
}

/* Append a file with its `#include "kernels/..."` lines replaced by these files, each file once. */
static mnp_status append_file(const char *name, size_t length, struct included *included, mnp__text *text)
{
    const struct mnp__kernel_source *file = find_file(name, length);
    if (!file)
        return MNP_FAIL(MNP_ERR_INTERNAL, "there is no kernel source '%.*s'", (int)length, name);
    for (int i = 0; i < included->count; i++) {
        if (included->files[i] == file->name)
            return MNP_OK;
    }
    if (!included->complex && strcmp(file->name, "math_complex.h") == 0)
        return MNP_OK;
    if (included->count == MAX_INCLUDES)
        return MNP_FAIL(MNP_ERR_INTERNAL, "kernel source '%s' is one too many of %d", file->name, MAX_INCLUDES);
    included->files[included->count++] = file->name;

    for (const char *line = file->text; *line; line += line_size(line)) {
        size_t inner_length;
        if (included->conditions && !mnp__conditions_line(included->conditions, line, text))
            continue;
        const char *inner = quoted(line, "#include \"kernels/", &inner_length);
        if (inner)
            MNP_TRY(append_file(inner, inner_length, included, text));
        else if (included->generated && strncmp(line, "#include \"generated\"", 20) == 0)
            MNP_TRY(append_whole_generated(included, text));
        else
            mnp__text_add_bytes(text, line, line_size(line));
    }
    return mnp__text_status(text);
}

/* The name of Maniple's file that a line of a user's text includes; NULL if it includes none. */
static const char *included_file(const char *line, size_t *length_p)
{
    static const char complex[] = "custom/complex.h";
    const char *name = quoted(line, "#include \"maniple/", length_p);
    if (name && find_file(name, *length_p))
        return name;
    if (!quoted(line, "#include <cupy/complex.cuh>", length_p) &&
        !quoted(line, "#include \"cupy/complex.cuh\"", length_p))
        return NULL;
    *length_p = strlen(complex);
    return complex;
}

/*
 * Append the generated text.  It, and the user's text in it, may include "maniple/NAME", which is Maniple's file NAME,
 * and CuPy's header of complex numbers, for which there is one with the same names.
 * The lines after such an #include keep the names and numbers that a #line directive gave them.
 */
static mnp_status append_generated(const char *generated, struct included *included, mnp__text *text)
{
    const char *name = "", *found;
    size_t length = 0, found_length;
    long number = 0;
    for (const char *line = generated; *line; line += line_size(line), number++) {
        if ((found = quoted(line, "#line 1 \"", &found_length))) {
            name = found;
            length = found_length;
            number = 0;
        }
        if ((found = included_file(line, &found_length))) {
            if (length > 0)
                mnp__text_add(text, "#line 1 \"%.*s\"\n", (int)found_length, found);
            MNP_TRY(append_file(found, found_length, included, text));
            if (length > 0)
                mnp__text_add(text, "#line %ld \"%.*s\"\n", number + 1, (int)length, name);
        } else {
            mnp__text_add_bytes(text, line, line_size(line));
        }
    }
    mnp__text_add(text, "\n");
    return mnp__text_status(text);
}

static mnp_status append_whole_generated(struct included *included, mnp__text *text)
{
    included->begin = text->length;
    MNP_TRY(append_generated(included->generated, included, text));
    included->end = text->length;
    return MNP_OK;
}

static bool names_complex(const char *text)
{
    return text && strstr(text, "complex");
}

/*
 * Whether a type of the kernel may be complex: its definitions, its text, the compiler's options or the names that are
 * wanted of it say so.  Otherwise it is compiled without the functions of complex numbers.
 */
static bool has_complex(const mnp__kernel_spec *spec)
{
    for (const char *const *name = spec->name_expressions; name && *name; name++) {
        if (names_complex(*name))
            return true;
    }
    return names_complex(spec->defines) || names_complex(spec->generated) || names_complex(spec->nvrtc_options) ||
           names_complex(spec->host_options);
}

mnp_status mnp__jit_source(const mnp__kernel_spec *spec, bool cuda, char **text_p)
{
    const bool shortened = !spec->users && !spec->raw; /* a user's text may need anything */
    mnp__conditions conditions;
    struct included included = {.complex = has_complex(spec), .generated = spec->generated};
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_status st;
    if (shortened) {
        mnp__conditions_begin(&conditions, spec->defines, cuda);
        included.conditions = &conditions;
    }
    mnp__text_add(&text, "%s", spec->defines);
    MNP_TRY_OR(append_file(spec->file, strlen(spec->file), &included, &text), st, fail);
    if (shortened && conditions.too_deep)
        MNP_TRY_OR(MNP_FAIL(MNP_ERR_INTERNAL, "kernel source '%s' has more than %d conditions in each other",
                            spec->file, MNP__MOST_CONDITIONS),
                   st, fail);
    if (shortened)
        MNP_TRY_OR(mnp__jit_prune(&text, included.begin, included.end), st, fail);
    *text_p = text.data;
    return MNP_OK;
fail:
    mnp__text_free(&text);
    return st;
}
