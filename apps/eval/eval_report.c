/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of maniple eval, and values without dimensions.
 */
#include "eval/eval.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/command.h"

static const char *const stage_names[] = {"compile", "read", "evaluate", "write", "picture"};

/* ---- values ---- */

/* Copy a value without dimensions to the CPU. */
mnp_status eval_take_value(named *output)
{
    char kind = mnp_dtype_kind(mnp_array_dtype(output->array));
    double real[2] = {0, 0};
    void *value = kind == 'f' || kind == 'c' ? (void *)real : (void *)&output->integer;
    if (mnp_array_ndim(output->array) > 0)
        return MNP_OK;
    mnp_status status = mnp_array_item(output->array,
                                       kind == 'c'   ? MNP_COMPLEX128
                                       : kind == 'f' ? MNP_FLOAT64
                                       : kind == 'u' ? MNP_UINT64
                                                     : MNP_INT64,
                                       value);
    output->is_number = true;
    output->kind = kind;
    output->real = real[0];
    output->imag = real[1];
    return status;
}

/* Print the shortest decimal number that gives the same value of that dtype when it is read. */
static void print_real(mnp_dtype dtype, double value, bool sign)
{
    char text[40];
    bool small = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
    int digits = small ? 6 : dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX128 ? 15 : 3;
    for (;; digits++) {
        snprintf(text, sizeof text, sign ? "%+.*g" : "%.*g", digits, unsigned_nan(value));
        double back = strtod(text, NULL);
        if (digits >= 17 || (small ? (float)back == (float)value : back == value) || value != value)
            break;
    }
    fputs(text, stdout);
}

void eval_print_value(const named *output)
{
    mnp_dtype dtype = mnp_array_dtype(output->array);
    switch (output->kind) {
    case 'b':
        fputs(output->integer ? "True" : "False", stdout);
        break;
    case 'i':
        printf("%lld", output->integer);
        break;
    case 'u':
        printf("%llu", (unsigned long long)output->integer);
        break;
    case 'c':
        putchar('(');
        print_real(dtype, output->real, false);
        print_real(dtype, output->imag, true);
        fputs("j)", stdout);
        break;
    default:
        print_real(dtype, output->real, false);
    }
}

/* ---- the report ---- */

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    double bytes = 0;
    for (int i = 0; i < j->ninputs; i++) {
        const named *input = &j->inputs[i];
        printf("%-9s %s", input->name, input->text);
        bytes += input->array ? array_bytes(input->array) : 0;
        printf(input->array ? ": " : "\n");
        if (input->array)
            print_array(input->array);
    }
    for (int i = 0; i < j->noutputs; i++) {
        const named *output = &j->outputs[i];
        bytes += array_bytes(output->array);
        if (!output->text && !(j->result.picture.path && i == j->pictured_output))
            continue;
        printf("%-9s %s: ", *output->name ? output->name : "result",
               output->text ? output->text : j->result.picture.path);
        if (output->is_number) {
            eval_print_value(output);
            printf(", %s\n", mnp_dtype_name(mnp_array_dtype(output->array)));
        } else {
            print_array(output->array);
        }
    }
    if (*j->drawn)
        printf("picture   %s: %s\n", j->result.picture.path, j->drawn);
    print_times(j->result.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
    printf("speed     %.3g GB/s of operands and results, while evaluating\n", bytes / facts->seconds[EVALUATE] / 1e9);
}

/* A value without dimensions; a complex one is an object. */
static void json_value(json_writer *out, const named *n)
{
    switch (n->kind) {
    case 'b':
        json_bool(out, "value", n->integer != 0);
        break;
    case 'i':
        json_integer(out, "value", n->integer);
        break;
    case 'u':
        json_natural(out, "value", (uint64_t)n->integer);
        break;
    case 'c':
        json_row(out, "value", '{');
        json_number(out, "real", n->real);
        json_number(out, "imag", n->imag);
        json_close(out);
        break;
    default:
        json_number(out, "value", n->real);
    }
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    json_text(out, "statements", j->statements);
    json_open(out, "operands", '{');
    for (int i = 0; i < j->ninputs; i++) {
        const named *input = &j->inputs[i];
        json_row(out, input->name, '{');
        json_text(out, "operand", input->text);
        if (input->array)
            json_array(out, input->array);
        else
            json_value(out, input);
        json_close(out);
    }
    json_close(out);
    json_open(out, "results", '[');
    for (int i = 0; i < j->noutputs; i++) {
        const named *output = &j->outputs[i];
        json_row(out, NULL, '{');
        json_text(out, "name", *output->name ? output->name : NULL);
        json_text(out, "output", output->text);
        json_array(out, output->array);
        if (output->is_number)
            json_value(out, output);
        json_close(out);
    }
    json_close(out);
    if (*j->drawn)
        json_text(out, "picture", j->result.picture.path);
    json_facts(out, facts, j->result.picture.path ? NUM_STAGES : PICTURE, stage_names);
}

void eval_report(const job *j, const stopwatch *watch)
{
    report_print(watch, j->result.json, j, print_text, print_json);
}
