/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for NCCL in a build without it.  The transport is then never NCCL, so only start can be asked for.
 */
#include <config.h>

#include <stdio.h>

#include "base/status.h"
#include "comm/collectives/collectives.h"
#include "comm/comm.h"

#define ABSENT MNP_FAIL(MNP_ERR_UNSUPPORTED, "this Maniple was built without NCCL; configure it with --with-nccl=DIR")

bool mnp__nccl_available(void)
{
    return false;
}

int mnp__nccl_versions(mnp_version_info *versions, int room)
{
    if (room < 1)
        return 0;
    versions[0].name = "NCCL";
    snprintf(versions[0].version, sizeof versions[0].version, "not compiled in");
    return 1;
}

mnp_status mnp__nccl_start(const mnp__comm *comm, mnp__nccl **nccl_p)
{
    (void)comm;
    (void)nccl_p;
    return ABSENT;
}

mnp_status mnp__nccl_exchange(mnp__nccl *nccl, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs, const int *ranks, mnp__stream *stream)
{
    (void)ranks;
    (void)nccl;
    (void)nsends;
    (void)sends;
    (void)nrecvs;
    (void)recvs;
    (void)stream;
    return ABSENT;
}

mnp_status mnp__nccl_split(const mnp__comm *comm, const mnp__comm *group, int color, int key, mnp__nccl **nccl_p)
{
    (void)comm;
    (void)group;
    (void)color;
    (void)key;
    (void)nccl_p;
    return ABSENT;
}

bool mnp__nccl_can_reduce(mnp_dtype dtype, mnp_op op)
{
    (void)dtype;
    (void)op;
    return false;
}

mnp_status mnp__nccl_collective(mnp__nccl *nccl, const mnp__collective *call, mnp__stream *stream)
{
    (void)nccl;
    (void)call;
    (void)stream;
    return ABSENT;
}

mnp_status mnp__nccl_check(mnp__nccl *nccl, bool *communicating_p, uint32_t *over_p)
{
    (void)nccl;
    (void)communicating_p;
    (void)over_p;
    return ABSENT;
}

void mnp__nccl_abort(mnp__nccl *nccl)
{
    (void)nccl;
}

void mnp__nccl_free(mnp__nccl *nccl)
{
    (void)nccl;
}
