/*
 * From a kernel spec to the one text that is compiled.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

enum { MAX_INCLUDES = 32 };

struct included {
    const char *files[MAX_INCLUDES];
    int count;
};

const char *mnp__jit_type(mnp_dtype dtype)
{
    static const char *const types[MNP_NUM_DTYPES] = {
        [MNP_BOOL] = "mnp_bool",           [MNP_INT8] = "int8_t",
        [MNP_INT16] = "int16_t",           [MNP_INT32] = "int32_t",
        [MNP_INT64] = "int64_t",           [MNP_UINT8] = "uint8_t",
        [MNP_UINT16] = "uint16_t",         [MNP_UINT32] = "uint32_t",
        [MNP_UINT64] = "uint64_t",         [MNP_FLOAT32] = "float",
        [MNP_FLOAT64] = "double",          [MNP_COMPLEX64] = "mnp_complex64",
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

/* Append a file, its `#include "..."` lines replaced by what they name, each file once. */
static mnp_status append_file(const char *name, size_t length, struct included *included, mnp__text *text)
{
    const struct mnp__kernel_source *file = find_file(name, length);
    if (!file)
        return MNP_FAIL(MNP_ERR_INTERNAL, "there is no kernel source \"%.*s\"", (int)length, name);
    for (int i = 0; i < included->count; i++) {
        if (included->files[i] == file->name)
            return MNP_OK;
    }
    if (included->count == MAX_INCLUDES)
        return MNP_FAIL(MNP_ERR_INTERNAL, "kernel source \"%s\" is one too many of %d", file->name, MAX_INCLUDES);
    included->files[included->count++] = file->name;

    static const char directive[] = "#include \"";
    const char *line = file->text;
    while (*line) {
        size_t size = strcspn(line, "\n");
        if (line[size] == '\n')
            size++;
        if (strncmp(line, directive, sizeof directive - 1) == 0) {
            const char *inner = line + sizeof directive - 1;
            MNP_TRY(append_file(inner, strcspn(inner, "\"\n"), included, text));
        } else {
            mnp__text_add_bytes(text, line, size);
        }
        line += size;
    }
    return mnp__text_status(text);
}

mnp_status mnp__jit_source(const mnp__kernel_spec *spec, char **text_p)
{
    struct included included = {.count = 0};
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_status st;
    mnp__text_add(&text, "%s", spec->defines);
    MNP_TRY_OR(append_file(spec->file, strlen(spec->file), &included, &text), st, fail);
    *text_p = text.data;
    return MNP_OK;
fail:
    mnp__text_free(&text);
    return st;
}

/* The number after the first "name:" or "name(" in a compiler's words; 0 if there is none. */
static long reported_line(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        if (at[length] == ':' || at[length] == '(') {
            long line = strtol(at + length + 1, NULL, 10);
            if (line > 0)
                return line;
        }
    }
    return 0;
}

static void append_numbered(mnp__text *text, const char *source, long first, long last, long marked)
{
    long number = 1;
    for (const char *line = source; *line && number <= last; number++) {
        size_t size = strcspn(line, "\n");
        if (number >= first)
            mnp__text_add(text, "\n%s%5ld | %.*s", number == marked ? ">" : " ", number, (int)size, line);
        line += size + (line[size] == '\n');
    }
}

mnp_status mnp__jit_compile_error(const char *compiler, const char *name, const char *words, const char *source)
{
    mnp__text text = MNP__TEXT_EMPTY;
    long line = reported_line(words, name);
    int length = (int)strlen(words);
    while (length > 0 && words[length - 1] == '\n')
        length--;
    mnp__text_add(&text, "kernel %s does not compile with %s:\n%.*s", name, compiler, length < 4000 ? length : 4000, words);
    if (line > 0)
        append_numbered(&text, source, line - 4, line + 2, line);
    mnp_status st = MNP_FAIL(MNP_ERR_COMPILE, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

const mnp__kernel_spec mnp__jit_examples[] = {
    {"copy_boxes.cu", "copy_boxes", "#define MNP_SRC float\n#define MNP_DST mnp_bool\n", 0},
    {"copy_boxes.cu", "copy_boxes", "#define MNP_SRC mnp_complex64\n#define MNP_DST int16_t\n", 0},
    {"conv_direct.cu", "conv_direct",
     "#define MNP_IN uint8_t\n#define MNP_OUT float\n#define MNP_SUM float\n"
     "#define MNP_TX 128\n#define MNP_TY 64\n#define MNP_CX 31\n#define MNP_CY 31\n"
     "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 31\n#define MNP_K3 31\n#define MNP_RX 16\n#define MNP_RY 2\n", 0},
    {"conv_direct.cu", "conv_direct",
     "#define MNP_IN mnp_complex128\n#define MNP_OUT mnp_complex128\n#define MNP_SUM mnp_complex128\n"
     "#define MNP_TX 32\n#define MNP_TY 32\n#define MNP_CX 32\n#define MNP_CY 4\n"
     "#define MNP_K0 2\n#define MNP_K1 3\n#define MNP_K2 4\n#define MNP_K3 45\n#define MNP_RX 4\n#define MNP_RY 2\n", 0},
    {"conv_direct.cu", "conv_direct",
     "#define MNP_IN mnp_bool\n#define MNP_OUT mnp_complex64\n#define MNP_SUM mnp_complex64\n"
     "#define MNP_TX 64\n#define MNP_TY 64\n#define MNP_CX 5\n#define MNP_CY 3\n"
     "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 3\n#define MNP_K3 5\n#define MNP_RX 8\n#define MNP_RY 2\n", 0},
    {"conv_direct.cu", "conv_direct",
     "#define MNP_IN int32_t\n#define MNP_OUT uint16_t\n#define MNP_SUM uint64_t\n"
     "#define MNP_TX 2048\n#define MNP_TY 1\n#define MNP_CX 7\n#define MNP_CY 1\n"
     "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 1\n#define MNP_K3 7\n#define MNP_RX 8\n#define MNP_RY 1\n", 0},
    {NULL, NULL, NULL, 0},
};
