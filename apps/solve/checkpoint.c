/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve: checkpoints.  A checkpoint is an HDF5 file with three datasets:
 *
 *   /x                   the iterate
 *   /iterations          how many were made
 *   /maniple_checkpoint  five numbers: a mark, the fingerprints of matrix and right-hand side, the hashes of the names
 *                        of method and preconditioner
 *
 * Only a file with the mark is resumed or replaced, and only for the system and the method that it is of.
 */
#include "solve/solve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"

static const char mark_dataset[] = "/maniple_checkpoint";
static const uint64_t first_word = UINT64_C(0x6d6e702d636b7031); /* "mnp-ckp1" */
enum { MARK, OF_MATRIX, OF_RHS, OF_METHOD, OF_PRECOND, NUM_WORDS };

/* ---- fingerprints ---- */

/* FNV-1a, and the finalizer of SplitMix64. */
static uint64_t hash(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(1099511628211);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t hash_text(const char *text)
{
    return hash(text, strlen(text));
}

/* The sum over this rank's elements of hashes of index and value, as complex128. */
static mnp_status add_elements(const mnp_array *vector, uint64_t *sum_p)
{
    const int64_t count = mnp_array_local_size(vector), first = count > 0 ? mnp_array_local_lo(vector)[0] : 0;
    double *values = malloc(((size_t)count + 1) * 2 * sizeof *values);
    *sum_p = 0;
    if (!values)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for the fingerprint of %" PRId64 " elements", count);
    mnp_status status = mnp_array_get_local(vector, values);
    for (int64_t i = 0; status == MNP_OK && i < count; i++) {
        const struct {
            int64_t index;
            double value[2];
        } element = {first + i, {values[2 * i], values[2 * i + 1]}};
        *sum_p += hash(&element, sizeof element);
    }
    free(values);
    return status;
}

/* The fingerprint of a vector, the same on any number of ranks.  Collective. */
static mnp_status find_fingerprint(const job *j, const mnp_array *vector, uint64_t *fingerprint_p)
{
    mnp_array *wide = NULL;
    mnp_status status = mnp_astype(vector, MNP_COMPLEX128, &wide);
    if (status == MNP_OK)
        status = mnp_agree(j->ctx, add_elements(wide, fingerprint_p));
    mnp_array_free(wide);
    if (status == MNP_OK)
        all_reduce(j->ctx, fingerprint_p, 1, MPI_UINT64_T, MPI_SUM);
    return status;
}

/* ---- reading the mark ---- */

/* Whether there is a file; on all ranks. */
static bool exists(const job *j, const char *file)
{
    int found = mnp_ctx_rank(j->ctx) == 0 && (access(file, F_OK) == 0 || errno != ENOENT);
    broadcast(j->ctx, &found, 1, MPI_INT);
    return found;
}

/* Read the mark of a file; *marked_p: it is a checkpoint.  A file that cannot be read is none. */
static mnp_status read_mark(const job *j, const char *file, uint64_t words[NUM_WORDS], bool *marked_p)
{
    mnp_h5_info info;
    mnp_array *array = NULL;
    *marked_p = false;
    mnp_status status = mnp_h5_inspect(j->ctx, file, mark_dataset, &info);
    if (status != MNP_OK || info.dtype != MNP_UINT64 || info.ndim != 1 || info.shape[0] != NUM_WORDS)
        return MNP_OK;
    status = mnp_h5_read(j->ctx, file, mark_dataset, NULL, &array);
    if (status == MNP_OK)
        status = mnp_array_to_host(array, MNP_ALL_RANKS, words);
    mnp_array_free(array);
    *marked_p = status == MNP_OK && words[MARK] == first_word;
    return status;
}

/* The place of a name with that hash in a list; -1: there is none. */
static int find_name(const char *const *names, uint64_t wanted)
{
    for (int i = 0; names[i]; i++)
        if (hash_text(names[i]) == wanted)
            return i;
    return -1;
}

/* What a resumed run does not choose is as in the checkpoint. */
static void take_method(job *j, const uint64_t words[NUM_WORDS])
{
    const int method = find_name(method_names, words[OF_METHOD]), precond = find_name(precond_names, words[OF_PRECOND]);
    if (j->method_given || j->precond_given || method < 0 || precond < 0)
        return;
    j->method = (mnp_solver)method;
    j->precond_kind = (mnp_precond_kind)precond;
    j->method_given = j->precond_given = true;
}

mnp_status checkpoint_check_files(job *j)
{
    uint64_t words[NUM_WORDS];
    bool marked = true;
    mnp_status status = MNP_OK;
    const bool is_there = j->checkpoint && exists(j, j->checkpoint);
    if (is_there && j->requeues > 0) /* the job was requeued */
        j->resume = j->checkpoint;
    if (is_there) {
        status = read_mark(j, j->checkpoint, words, &marked);
        if (status == MNP_OK && !marked)
            status = mnp_fail(MNP_ERR_ARG,
                              "--checkpoint '%s' is a file, but not a checkpoint of maniple solve, and is not "
                              "overwritten; name another file",
                              j->checkpoint);
    }
    if (status == MNP_OK && j->resume) {
        if (!exists(j, j->resume))
            return mnp_fail(MNP_ERR_IO, "--resume '%s': %s", j->resume, strerror(ENOENT));
        status = read_mark(j, j->resume, words, &marked);
        if (status == MNP_OK && !marked)
            status = mnp_fail(MNP_ERR_ARG, "--resume '%s' is not a checkpoint of maniple solve", j->resume);
        if (status == MNP_OK)
            take_method(j, words);
    }
    return status;
}

/* ---- comparing with the system ---- */

/* The mark of this system. */
static mnp_status make_mark(job *j, uint64_t words[NUM_WORDS])
{
    mnp_status status = solve_find_traits(j);
    words[MARK] = first_word;
    words[OF_MATRIX] = j->traits.fingerprint;
    words[OF_METHOD] = hash_text(method_names[j->method]);
    words[OF_PRECOND] = hash_text(precond_names[j->precond_kind]);
    if (status == MNP_OK && !j->knows_rhs)
        status = find_fingerprint(j, j->b, &j->rhs_fingerprint);
    j->knows_rhs = status == MNP_OK;
    words[OF_RHS] = j->rhs_fingerprint;
    return status;
}

/* Refuse a checkpoint of something else; `use` says what it is not used for. */
static mnp_status compare(const job *j, const char *option, const char *file, const char *use,
                          const uint64_t found[NUM_WORDS], const uint64_t wanted[NUM_WORDS])
{
    if (found[OF_MATRIX] != wanted[OF_MATRIX])
        return mnp_fail(MNP_ERR_ARG, "--%s '%s' is a checkpoint of a system with another matrix, and is not %s", option,
                        file, use);
    if (found[OF_RHS] != wanted[OF_RHS])
        return mnp_fail(MNP_ERR_ARG,
                        "--%s '%s' is a checkpoint of a system with another right-hand side, and is not %s", option,
                        file, use);
    const int method = find_name(method_names, found[OF_METHOD]);
    if (found[OF_METHOD] != wanted[OF_METHOD] && j->method_given)
        return mnp_fail(MNP_ERR_ARG,
                        "--%s '%s' is a checkpoint of the method %s, and is not %s by %s; its iterate can be given as "
                        "--guess %s:/x",
                        option, file, method < 0 ? "of another version" : method_names[method], use,
                        method_names[j->method], file);
    return MNP_OK;
}

mnp_status checkpoint_check_system(job *j)
{
    uint64_t wanted[NUM_WORDS], found[NUM_WORDS];
    bool marked;
    if (!j->checkpoint && !j->resume)
        return MNP_OK;
    mnp_status status = make_mark(j, wanted);
    if (status == MNP_OK && j->resume) {
        status = read_mark(j, j->resume, found, &marked);
        if (status == MNP_OK)
            status = compare(j, "resume", j->resume, "resumed", found, wanted);
    }
    if (status == MNP_OK && j->checkpoint && exists(j, j->checkpoint)) {
        status = read_mark(j, j->checkpoint, found, &marked);
        if (status == MNP_OK)
            status = compare(j, "checkpoint", j->checkpoint, "overwritten", found, wanted);
    }
    return status;
}

/* ---- resuming ---- */

mnp_status checkpoint_resume(job *j, mnp_array **x_p)
{
    mnp_array *x = NULL, *iterations = NULL;
    int64_t before = 0;
    mnp_status status = mnp_h5_read(j->ctx, j->resume, "/x", NULL, &x);
    if (status == MNP_OK)
        status = mnp_h5_read(j->ctx, j->resume, "/iterations", NULL, &iterations);
    if (status == MNP_OK &&
        (mnp_layout_size(mnp_array_layout(iterations)) != 1 || mnp_array_dtype(iterations) != MNP_INT64 ||
         mnp_array_ndim(x) != 1 || mnp_array_shape(x)[0] != mnp_sparse_shape(j->a)[1]))
        status = mnp_fail(MNP_ERR_ARG, "--resume '%s' is a checkpoint of a system of another size", j->resume);
    if (status == MNP_OK)
        status = mnp_item(iterations, &before);
    mnp_array_free(iterations);
    if (status == MNP_OK) {
        j->before = before;
        *x_p = x;
    } else {
        mnp_array_free(x);
    }
    return status;
}

/* ---- saving ---- */

static mnp_status save(job *j, int64_t iteration, const mnp_array *x)
{
    const int64_t count = iteration + j->done, one[] = {1}, words_shape[] = {NUM_WORDS};
    uint64_t words[NUM_WORDS];
    mnp_array *iterations = NULL, *mark = NULL;
    mnp_status status = make_mark(j, words);
    if (status == MNP_OK)
        status = mnp_array_from_host(j->ctx, MNP_INT64, 1, one, &count, &iterations);
    if (status == MNP_OK)
        status = mnp_array_from_host(j->ctx, MNP_UINT64, 1, words_shape, words, &mark);
    const mnp_h5_item items[] = {{"/x", x}, {"/iterations", iterations}, {mark_dataset, mark}};
    const mnp_h5_attribute method = {.object = "/x", .name = "method", .text = method_names[j->method]};
    if (status == MNP_OK)
        status = mnp_h5_write_items(j->checkpoint, 3, items, 1, &method, NULL);
    mnp_array_free(mark);
    mnp_array_free(iterations);
    return status;
}

void checkpoint_save(job *j, int64_t iteration, const mnp_array *x)
{
    const mnp_status status = save(j, iteration, x);
    if (status == MNP_OK || j->unsaved++ > 0)
        return;
    command_say(j->ctx, "warning: the checkpoint is not written, and the run goes on: ", status);
}
