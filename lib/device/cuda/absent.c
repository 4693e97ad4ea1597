/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the CUDA device in a build without CUDA: opening it is an error whose message says so.
 */
#include <config.h>

#include <stdio.h>

#include "base/status.h"
#include "device/device.h"

mnp_status mnp__cuda_device_open(const mnp__config *config, int gpu, mnp__device **device_p)
{
    (void)config;
    (void)gpu;
    (void)device_p;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "this Maniple was built without CUDA; configure it with --with-cuda=DIR");
}

void mnp__cuda_visible(uint64_t visible[MNP__MOST_GPUS])
{
    (void)visible;
}

int mnp__cuda_versions(mnp_version_info *versions, int room)
{
    if (room < 1)
        return 0;
    versions[0].name = "CUDA";
    snprintf(versions[0].version, sizeof versions[0].version, "not compiled in");
    return 1;
}
