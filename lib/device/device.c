/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of a rank's device, the time that loading kernels takes, and the refusal of work that a graph cannot hold.
 */
#include <config.h>

#include "device/device.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process/clock.h"
#include "base/status.h"

int mnp__cores_of_rank(const mnp__config *config, int node_size)
{
    cpu_set_t bound;
    if (strcmp(config->threads, "auto") != 0)
        return atoi(config->threads);
    long online = sysconf(_SC_NPROCESSORS_ONLN), share = online / node_size;
    if (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_COUNT(&bound) < share)
        share = CPU_COUNT(&bound);
    return share > 1 ? (int)share : 1;
}

static mnp_status open_any(const mnp__config *config, int gpu, int node_size, mnp__device **device_p)
{
    if (strcmp(config->device, "host") == 0)
        return mnp__host_device_open(config, node_size, device_p);
    if (strcmp(config->device, "simulated") == 0)
        return mnp__simulated_device_open(config, node_size, device_p);
    mnp_status st = mnp__cuda_device_open(config, gpu, device_p);
    if (st == MNP_ERR_UNSUPPORTED && strcmp(config->device, "auto") == 0) {
        MNP_LOG(&config->logger, MNP_LOG_INFO, "using the host device: %s", mnp_error_message());
        return mnp__host_device_open(config, node_size, device_p);
    }
    return st;
}

void mnp__device_visible(const mnp__config *config, uint64_t visible[MNP__MOST_GPUS])
{
    memset(visible, 0, MNP__MOST_GPUS * sizeof *visible);
    if (strcmp(config->device, "host") != 0 && strcmp(config->device, "simulated") != 0)
        mnp__cuda_visible(visible);
}

mnp_status mnp__device_open(const mnp__config *config, int gpu, int node_size, mnp__device **device_p)
{
    (void)mnp__memory_share(node_size); /* with a GPU too ranks share the host's memory */
    MNP_TRY(open_any(config, gpu, node_size, device_p));
    (*device_p)->cores = mnp__cores_of_rank(config, node_size);
    mnp_rank_info info = {.memory_total = 0};
    const mnp_status st = (*device_p)->ops->info(*device_p, &info);
    (*device_p)->memory = info.memory_total;
    return st;
}

mnp_status mnp__device_load_kernel(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    const double begin = mnp__seconds_now();
    mnp_status st = device->ops->kernel_load(device, spec, kernel_p);
    device->load_seconds += mnp__seconds_now() - begin;
    return st;
}

mnp_status mnp__device_load_module(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p)
{
    const double begin = mnp__seconds_now();
    mnp_status st = device->ops->module_load(device, spec, module_p);
    device->load_seconds += mnp__seconds_now() - begin;
    return st;
}

mnp_status mnp__refuse_recording(mnp__device *device, const char *doing)
{
    if (!device->recording)
        return MNP_OK;
    device->refused = doing;
    return MNP_FAIL(MNP_ERR_ARG, "%s cannot be part of a graph, and one is being %s", doing,
                    device->ops->graph_begin ? "recorded" : "launched");
}
