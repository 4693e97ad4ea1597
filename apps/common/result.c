/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options and checks that are common to all subcommands with a result.
 */
#include "common/result.h"

#include <getopt.h>

#include "common/files.h"
#include "common/paths.h"
#include "report/report.h"

mnp_status result_option(int key, result_request *r)
{
    switch (key) {
    case 'o':
        return operand_parse_output("OUTPUT", optarg, &r->output);
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
    case KEY_PICTURE_MAP:
        return picture_option(key, optarg, &r->picture);
    case APPEND_KEY:
        return operand_append_option(optarg);
    case 'q':
        r->quiet = true;
        return MNP_OK;
    case 'j':
        r->json = true;
        return MNP_OK;
    default:
        return MNP_ERR_ARG; /* options_next() has recorded why */
    }
}

mnp_status result_check_options(const result_request *r)
{
    if (r->quiet && r->json)
        return mnp_fail(MNP_ERR_ARG, "--quiet and --json contradict each other: leave out one");
    return picture_check_options(&r->picture);
}

enum { MOST_INPUTS = 6 };

static mnp_status check_files(const result_request *r, int count, const operand *const *inputs)
{
    run_file files[MOST_INPUTS + 2];
    for (int i = 0; i < count; i++)
        files[i] = file_of_operand(inputs[i]);
    files[count] = file_of_output(&r->output);
    files[count + 1] = file_of_option("--picture", r->picture.path);
    return files_check(count + 2, files);
}

mnp_status result_check_places(mnp_ctx *ctx, const result_request *r, int count, const operand *const *inputs)
{
    const bool root = mnp_ctx_rank(ctx) == 0;
    mnp_status status = mnp_agree(ctx, root ? check_files(r, count, inputs) : MNP_OK);
    if (status == MNP_OK && r->output.text)
        status = operand_check_output(ctx, &r->output);
    return status == MNP_OK ? mnp_agree(ctx, root ? picture_check_place(&r->picture) : MNP_OK) : status;
}

mnp_status result_check_picture(mnp_ctx *ctx, const result_request *r)
{
    const bool clash = mnp_ctx_rank(ctx) == 0 && r->output.file && same_file(r->picture.path, r->output.file);
    return mnp_agree(
        ctx, clash ? mnp_fail(MNP_ERR_IO,
                              "--picture '%s' is the file of OUTPUT; the result is there, and no picture was made",
                              r->picture.path)
                   : MNP_OK);
}
