/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies datasets through arrays, for h5_files.py: reads lines "FILE DATASET FILE DATASET GZIP-LEVEL", separated by
 * tabs, from the file that is its argument, and prints a line for each: "ok DTYPE", or the status and the sentence.
 */
#include <stdio.h>
#include <string.h>

#include <maniple.h>

static mnp_status copy(mnp_ctx *ctx, char *line, char *outcome, size_t room)
{
    char *field[5] = {NULL};
    int fields = 0;
    for (char *word = strtok(line, "\t\n"); word && fields < 5; word = strtok(NULL, "\t\n"))
        field[fields++] = word;
    if (fields < 5)
        return mnp_fail(MNP_ERR_ARG, "there are %d words in a line, not 5", fields);
    mnp_array *array = NULL;
    mnp_h5_write_options options = {field[4][0] - '0'};
    mnp_status st = mnp_h5_read(ctx, field[0], field[1], NULL, &array);
    if (st == MNP_OK)
        st = mnp_h5_write(array, field[2], field[3], &options);
    if (st == MNP_OK)
        snprintf(outcome, room, "ok %s", mnp_dtype_name(mnp_array_dtype(array)));
    else
        snprintf(outcome, room, "%s %s", mnp_status_name(st), mnp_error_message());
    mnp_array_free(array);
    return MNP_OK;
}

int main(int argc, char **argv)
{
    mnp_ctx *ctx;
    char line[2000], outcome[4000];
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list)
        MNP_OR_EXIT(mnp_fail(MNP_ERR_ARG, "give a file that lists what to copy"));
    while (fgets(line, sizeof line, list)) {
        MNP_OR_EXIT(copy(ctx, line, outcome, sizeof outcome));
        if (mnp_ctx_rank(ctx) == 0)
            puts(outcome);
    }
    fclose(list);
    mnp_finalize(ctx);
    return 0;
}
