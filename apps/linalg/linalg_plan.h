/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple linalg --plan: what a function of dense matrices takes, by their shapes.
 */
#ifndef APPS_LINALG_PLAN_H
#define APPS_LINALG_PLAN_H

#include <maniple.h>

#include "linalg/linalg_functions.h"

/*
 * Print the plan of a job's function for its inputs, whose shapes and dtypes are known.  MNP_ERR_ARG for shapes that it
 * does not take.  Collective.
 */
mnp_status linalg_plan(const linalg_job *job);

#endif
