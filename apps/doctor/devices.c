/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: the devices of the ranks, and how fast data moves between them.
 */
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/moving/comm.h"
#include "report/report.h"

/* ---- devices ---- */

static const char *version_of(const doctor *d, const char *name)
{
    for (const mnp_version_info *v = mnp_ctx_versions(d->ctx); v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v->version;
    return "not found";
}

/* A device of NVIDIA's driver is there, though the CPU computes. */
static void look_at_unused_gpus(doctor *d)
{
    const bool driver = access("/dev/nvidiactl", F_OK) == 0;
    const char *wish = getenv("MANIPLE_DEVICE"), *visible = getenv("CUDA_VISIBLE_DEVICES");
    const bool wished = wish && strcmp(wish, "host") == 0;
    const int threads = d->infos[0].multiprocessors;
    if (!driver || wished)
        doctor_say(d, "device", FINE, NULL, "the CPU, %s: %s, %d thread%s a rank",
                   wished ? "as MANIPLE_DEVICE=host says" : "as there is no driver of GPUs", d->infos[0].device,
                   threads, plural(threads));
    else
        doctor_say(
            d, "device", SLOW,
            "ask for GPUs (sbatch --gres=gpu:N), build Maniple with CUDA, or set MANIPLE_DEVICE=cuda to be told why",
            "the CPU computes, though there is a driver of GPUs here; CUDA in this build: %s; "
            "CUDA_VISIBLE_DEVICES is %s",
            version_of(d, "CUDA runtime"), visible ? visible : "not set");
}

static void look_at_sharing(doctor *d)
{
    int most = 1;
    for (int r = 0; r < d->ranks; r++)
        most = d->infos[r].ranks_on_device > most ? d->infos[r].ranks_on_device : most;
    doctor_say(d, "sharing", most > 1 ? SLOW : FINE,
               "start as many ranks on a host as it has GPUs: --ntasks-per-node and --gres=gpu:N with the same number",
               most > 1 ? "%d ranks share a GPU" : "every rank has a GPU of its own", most);
}

/* A GPU that its peers cannot see cannot be written to by them. */
static void look_at_hiding(doctor *d)
{
    int hidden = 0;
    for (int i = 0; i < d->ranks * d->ranks; i++)
        hidden += strcmp(d->links[i].name, "unknown") == 0;
    doctor_say(
        d, "hiding", hidden > 0 ? SLOW : FINE,
        "let every rank see all GPUs of its host: srun --gpu-bind=none, --gres instead of --gpus-per-task; ranks "
        "choose different ones by themselves",
        hidden > 0 ? "ranks of a host cannot see each other's GPUs (%d pairs), so they exchange messages"
                   : "every rank sees the GPUs of the other ranks on its host",
        hidden);
}

void doctor_look_at_devices(doctor *d)
{
    if (d->infos[0].device_index < 0) {
        look_at_unused_gpus(d);
        return;
    }
    int other = 0;
    for (int r = 0; r < d->ranks; r++)
        other = strcmp(d->infos[r].device, d->infos[0].device) != 0 ? r : other;
    doctor_say(d, "device", other ? SLOW : FINE, "take nodes with GPUs of one model: the slowest one is waited for",
               "%s%s%s; driver for CUDA %s, toolkit %s", d->infos[0].device, other ? ", and " : "",
               other ? d->infos[other].device : "", version_of(d, "CUDA driver"), version_of(d, "CUDA runtime"));
    look_at_sharing(d);
    look_at_hiding(d);
}

/* ---- links ---- */

/* The slowest kind of link between ranks, and the least bandwidth that it should give, in bytes a second. */
static const char *slowest_link(const doctor *d, double *least_p)
{
    /* Half of what PCIe 4 x16, and NVLink of an A100 through a switch, give to one peer; Ethernet of 10 Gbit/s */
    static const struct {
        const char *name;
        double least;
    } kinds[] = {{"network", 1.0e9}, {"unknown", 1.0e9}, {"none", 5e9}, {"PCIe", 12e9}, {"NVLink", 100e9}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < d->ranks * d->ranks; i++)
            if (strcmp(d->links[i].name, kinds[k].name) == 0) {
                *least_p = kinds[k].least;
                return kinds[k].name;
            }
    *least_p = 0.1e9;
    return "memory of the host";
}

void doctor_look_at_links(doctor *d)
{
    enum { REPEATS = 3 };
    const int64_t bytes = (int64_t)16 << 20;
    comm_bench b = {.ctx = d->ctx, .repeats = REPEATS};
    measurement m = {.seconds = 0};
    double least;
    if (d->ranks == 1)
        return;
    const char *kind = slowest_link(d, &least);
    mnp_status status = comm_open(&b);
    if (status == MNP_OK)
        status = comm_measure(&b, comm_case_named("all-to-all"), bytes, &m);
    comm_close(&b);
    if (status != MNP_OK) {
        doctor_say(d, "links", WRONG, "see 'Debugging and errors' in the guide for what the sentence means",
                   "data does not move between ranks: %s", mnp_error_message());
        return;
    }
    const double speed = comm_bus_bandwidth(&m, m.seconds, d->ranks);
    doctor_say(d, "links", speed < least ? SLOW : FINE,
               "see 'maniple info' for the links, 'hiding' and 'heap' here, and for a network NCCL_DEBUG=INFO or "
               "OMPI_MCA_btl_base_verbose=30, which tell what it goes through",
               "%.2f GB/s from each rank to the others at once, by %s, transport %s%s", speed * 1e-9, kind,
               mnp_ctx_transport(d->ctx), speed < least ? "; it should be more" : "");
}
