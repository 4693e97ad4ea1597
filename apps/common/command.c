/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the command after a failure.
 */
#include "common/command.h"

void command_exit(mnp_status status)
{
    /* a rank that failed because of another gives the lower status, and all end with the highest */
    mnp_exit(status == MNP_ERR_ARG || status == MNP_ERR_FORMAT ? EXIT_MISUSED : EXIT_FAILED);
}
