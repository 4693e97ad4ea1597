/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work in a process of its own, for libraries that damaged files can crash or keep busy for ever.
 */
#ifndef APPS_APART_H
#define APPS_APART_H

#include <stdio.h>

#include <maniple.h>

/*
 * Call work(out, argument) in a new process, and wait for it.  *text_p receives what it has printed to `out`, to be
 * released with free(); what it writes to standard error is lost.  The status and the message are those of `work`;
 * MNP_ERR_FORMAT, in a message that `file` is damaged, if the process ends otherwise or prints nothing for a minute.
 * Not after MPI has been started.  Not collective.
 */
mnp_status apart(const char *file, mnp_status (*work)(FILE *out, void *argument), void *argument, char **text_p);

#endif
