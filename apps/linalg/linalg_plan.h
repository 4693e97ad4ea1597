/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple linalg --plan: what a function of dense matrices takes, by their shapes.
 */
#ifndef APPS_LINALG_PLAN_H
#define APPS_LINALG_PLAN_H

#include <maniple.h>

#include "common/operand.h"
#include "common/result.h"
#include "plan/plan.h"

/*
 * Print the plan of the function of that name, with the order of a norm or NULL, for so many inputs, whose shapes and
 * dtypes are known.  MNP_ERR_ARG for shapes that it does not take.  Collective.
 */
mnp_status linalg_plan(mnp_ctx *ctx, const char *function, const char *ord, int count, const operand *inputs,
                       const plan_request *request, const result_request *result);

#endif
