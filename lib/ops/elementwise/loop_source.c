/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the text of a loop's kernels: the part that is generated once for a loop, and the definitions for each kernel.
 * kernels/elementwise/elementwise.cu includes both and explains the names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/elementwise/elementwise_params.h"
#include "ops/elementwise/generated.h"
#include "ops/elementwise/loop_plan.h"

/* ---- what is asked of the texts ---- */

/* Find the next occurrence of `word` as a whole word in `text`; NULL if there is none. */
static const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        if ((at == text || !mnp__is_in_name(at[-1])) && !mnp__is_in_name(at[length]))
            return at;
    }
    return NULL;
}

/* Find the indices that a text uses, as the bits of mnp__loop.counters; mnp_index[d] with d no digit means all. */
static unsigned counters_in(const char *text)
{
    static const char word[] = "mnp_index";
    unsigned counters = find_word(text, "mnp_i") ? 1 : 0;
    for (const char *at = find_word(text, word); at; at = find_word(at + 1, word)) {
        const char *inner = at + sizeof word - 1;
        if (inner[0] == '[' && inner[1] >= '0' && inner[1] < '0' + MNP_MAX_DIMS && inner[2] == ']')
            counters |= 2u << (inner[1] - '0');
        else
            counters |= (1u << (MNP_MAX_DIMS + 1)) - 2;
    }
    return counters;
}

/* Whether a body calls functions of many instructions, so that a thread takes the tuning's unroll_heavy rows. */
static bool is_heavy(const char *text)
{
    static const char *const parts[] = {"sin",  "cos", "tan",    "exp",       "log", "pow", "erf",  "gamma", "hypot",
                                        "cbrt", "mod", "divide", "remainder", "gcd", "lcm", "for ", "while "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(text, parts[i]))
            return true;
    }
    return false;
}

/* ---- the generated part ---- */

static void add_body(const mnp__loop_spec *spec, mnp__text *text)
{
    const char *separator = "";
    mnp__text_add(text, "static MNP_INLINE void mnp_body(");
    for (int k = 0; k < spec->ninputs + spec->noutputs; k++, separator = ", ") {
        const char *name = spec->operands[k].name;
        if (spec->operands[k].raw)
            mnp__text_add(text, "%sconst mnp_raw<mnp_type%d, mnp_memory%d> &%s", separator, k, k, name);
        else if (k < spec->ninputs)
            mnp__text_add(text, "%sconst mnp_type%d %s", separator, k, name);
        else
            mnp__text_add(text, "%smnp_type%d &%s", separator, k, name);
    }
    if (spec->indices)
        mnp__text_add(text, "%sconst mnp_position &mnp_at", separator);
    mnp__text_add(text, ")\n{\n");
    if (spec->indices)
        mnp__text_add(text, "const int64_t mnp_i = mnp_at.i, mnp_n = mnp_at.n;\n"
                            "const int64_t (&mnp_index)[8] = mnp_at.index, (&mnp_shape)[8] = mnp_at.shape;\n");
    mnp__text_add(text, "%s\n", spec->body);
    if (strstr(spec->body, "#line")) /* what follows is not the user's text */
        mnp__text_add(text, "#line 1 \"after the body\"\n");
    mnp__text_add(text, "}\n");
}

static void add_call(const mnp__loop_spec *spec, mnp__text *text)
{
    const char *separator = "";
    mnp__text_add(text, "#define MNP_BODY(IN, OUT, position) mnp_body(");
    for (int k = 0; k < spec->ninputs + spec->noutputs; k++, separator = ", ")
        mnp__text_add(text, "%s%s(%d)", separator, k < spec->ninputs ? "IN" : "OUT", k);
    mnp__text_add(text, "%s)\n", spec->indices ? ", position" : "");
}

static void add_generated(const mnp__loop_spec *spec, mnp__text *text)
{
    mnp__generated_types(spec->ninputs + spec->noutputs, spec->operands, text);
    mnp__generated_list("MNP_INPUTS", 0, spec->ninputs, text);
    mnp__generated_list("MNP_OUTPUTS", spec->ninputs, spec->ninputs + spec->noutputs, text);
    mnp__text_add(text, "%s\n", spec->preamble);
    if (strstr(spec->preamble, "#line"))
        mnp__text_add(text, "#line 1 \"after the preamble\"\n");
    add_body(spec, text);
    add_call(spec, text);
}

mnp_status mnp__loop_write(mnp__loop *loop)
{
    const mnp__loop_spec *spec = &loop->spec;
    mnp__text text = MNP__TEXT_EMPTY;
    add_generated(spec, &text);
    loop->counters = spec->indices ? counters_in(spec->body) : 0;
    loop->heavy = is_heavy(spec->body) || is_heavy(spec->preamble);
    return mnp__generated_set(&loop->generated, &text, spec->contract, spec->options);
}

/* ---- one kernel ---- */

static bool is_transposed(const mnp__loop_signature *signature, int k)
{
    return (signature->access[k] & MNP_ACCESS_TRANSPOSED) != 0;
}

/* Place the tiles of transposed operands in shared memory and return the bytes they take; see mnp_input there. */
static size_t add_tiles(const mnp__loop *loop, const mnp__loop_signature *signature, mnp__text *text)
{
    size_t offset = 0;
    mnp__text_add(text, "#define MNP_TRANSPOSED(X)");
    for (int k = 0; k < loop->spec.ninputs; k++) {
        if (is_transposed(signature, k))
            mnp__text_add(text, " X(%d)", k);
    }
    mnp__text_add(text, "\n");
    for (int k = 0; k < loop->spec.ninputs; k++) {
        size_t size = loop->sizes[k], pitch = signature->tile + (size < 4 ? 4 / size : 1);
        mnp__text_add(text, "#define MNP_SHARED_%d %zu\n", k, offset);
        if (is_transposed(signature, k))
            offset += mnp__round_up_bytes(signature->tile * pitch * size, 16);
    }
    return offset;
}

static void add_counters(const mnp__loop *loop, const mnp__loop_signature *signature, mnp__text *text)
{
    int k = loop->spec.ninputs + loop->spec.noutputs;
    mnp__text_add(text, "#define MNP_COUNTERS(X)");
    if (loop->counters & 1)
        mnp__text_add(text, " X(%d, i)", k++);
    for (int d = 0; k < signature->noperands; d++) {
        if (loop->counters >> (d + 1) & 1)
            mnp__text_add(text, " X(%d, index[%d])", k++, d);
    }
    mnp__text_add(text, "\n");
}

mnp_status mnp__loop_load(const mnp__loop *loop, const mnp__loop_signature *signature, mnp__kernel **kernel_p)
{
    mnp__text text = MNP__TEXT_EMPTY, function = MNP__TEXT_EMPTY;
    mnp__text_add(&function, "loop_%s", loop->spec.name);
    mnp__text_add(&text, "#define MNP_LOOP %s\n", mnp__text_string(&function));
    mnp__text_add(&text, "#define MNP_NDIM %d\n#define MNP_OPERANDS %d\n#define MNP_TILE %d\n#define MNP_INDICES %d\n",
                  signature->ndim, signature->noperands, signature->tile, signature->indices);
    mnp__text_add(&text, "#define MNP_THREADS %d\n#define MNP_VECTOR %d\n#define MNP_UNROLL %d\n", loop->tuning.threads,
                  signature->vector, signature->unroll);
    mnp__text_add(&text, "#define MNP_FLAT %d\n#define MNP_WIDE %d\n", signature->flat, signature->wide);
    for (int k = 0; k < signature->noperands; k++)
        mnp__text_add(&text, "#define MNP_ACCESS_%d %d\n", k, signature->access[k]);
    size_t shared = add_tiles(loop, signature, &text);
    add_counters(loop, signature, &text);
    const mnp__kernel_spec file = {.file = "elementwise/elementwise.cu", .shared_bytes = shared};
    return mnp__generated_load(&loop->generated, loop->ctx->device, &file, &function, &text, kernel_p);
}
