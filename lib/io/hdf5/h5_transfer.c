/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of datasets: what io/transfer.h needs of HDF5.
 *
 * HDF5 is given the type that the file has, because its transfers can be collective only if they convert nothing;
 * numbers are converted afterwards, in place.
 *
 * Transfers are collective for HDF5: a rank's selection is one request to MPI-IO, even if it crosses many chunks.
 * Below that every rank does its own I/O, without collective buffering.  So a rank whose disk fails leaves no other
 * rank waiting in a collective call of MPI, and it is faster: with Open MPI 4.1 on one node, blocks of 4096 x 8192
 * float32 in a contiguous dataset were read twice as quickly as with collective buffering, and rows of 128 bytes cut
 * into four 20 times as quickly.
 */
#include "base/status.h"
#include "comm/pulse.h"
#include "io/hdf5/h5.h"
#include "io/transfer.h"

/* A dataset while values are transferred. */
struct open_dataset {
    const mnp__h5_transfer *what;
    hid_t properties;
};

static mnp_status open_properties(bool collective, hid_t *properties_p)
{
    const hid_t properties = *properties_p = H5Pcreate(H5P_DATASET_XFER);
    if (properties >= 0 &&
        H5Pset_dxpl_mpio(properties, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) >= 0 &&
        (!collective || H5Pset_dxpl_mpio_collective_opt(properties, H5FD_MPIO_INDIVIDUAL_IO) >= 0))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "HDF5 cannot transfer through MPI-IO: %s", mnp__h5_reason());
}

/* Open the dataspaces of a box in memory, dense, and in the file; with `box` NULL their selections are empty. */
static mnp_status open_spaces(const mnp__h5_transfer *what, const mnp__file_box *box, hid_t *memory_p, hid_t *file_p)
{
    hsize_t start[MNP_MAX_DIMS], step[MNP_MAX_DIMS], count[MNP_MAX_DIMS];
    const int ndim = box ? box->ndim : 0;
    for (int f = 0; f < ndim; f++) {
        start[f] = (hsize_t)box->start[f];
        step[f] = (hsize_t)box->step[f];
        count[f] = (hsize_t)box->count[f];
    }
    *memory_p = ndim > 0 ? H5Screate_simple(ndim, count, NULL) : H5Screate(H5S_SCALAR);
    *file_p = H5Dget_space(what->dataset);
    if (*memory_p >= 0 && *file_p >= 0 &&
        (!box ? H5Sselect_none(*memory_p) >= 0 && H5Sselect_none(*file_p) >= 0
              : ndim == 0 || H5Sselect_hyperslab(*file_p, H5S_SELECT_SET, start, step, count, NULL) >= 0))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "cannot select a part of %s: %s", what->place->text, mnp__h5_reason());
}

/* This rank's call of HDF5 in one round: for a box, or with an empty selection if that is NULL. */
static mnp_status call_hdf5(const struct open_dataset *open, const mnp__file_box *box, void *to, const void *from)
{
    const mnp__h5_transfer *what = open->what;
    hid_t memory = H5I_INVALID_HID, file = H5I_INVALID_HID;
    char nothing = 0;
    mnp_status st = open_spaces(what, box, &memory, &file);
    if (st == MNP_OK) {
        mnp__pulse *pulse = what->array->ctx->comm.pulse;
        mnp__pulse_enter(pulse, what->written ? "writing" : "reading", what->place->text);
        herr_t done =
            what->written
                ? H5Dwrite(what->dataset, what->type->stored, memory, file, open->properties, box ? from : &nothing)
                : H5Dread(what->dataset, what->type->stored, memory, file, open->properties, box ? to : &nothing);
        mnp__pulse_leave(pulse);
        if (done < 0)
            st = MNP_FAIL(MNP_ERR_IO, "cannot %s %s: %s", what->written ? "write" : "read", what->place->text,
                          what->written && mnp__atomic_file_is_full(what->written) ? "the file system is full"
                                                                                   : mnp__h5_reason());
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
    return st;
}

static mnp_status read_box(void *file, const mnp__file_box *box, void *buffer)
{
    return call_hdf5(file, box, buffer, NULL);
}

static mnp_status write_box(void *file, const mnp__file_box *box, const void *buffer)
{
    return call_hdf5(file, box, NULL, buffer);
}

static mnp_status convert(void *file, int64_t count, void *buffer)
{
    return mnp__h5_type_convert(((struct open_dataset *)file)->what->type, count, buffer);
}

mnp_status mnp__h5_transfer_run(const mnp__h5_transfer *what)
{
    static const mnp__transfer_ops ops = {.together = true, .read = read_box, .write = write_box, .convert = convert};
    struct open_dataset open = {.what = what, .properties = H5I_INVALID_HID};
    mnp_status st = MNP_AGREE(what->array->ctx, open_properties(what->collective, &open.properties));
    const mnp__transfer transfer = {.array = what->array,
                                    .selection = what->selection,
                                    .stored = H5Tget_size(what->type->stored),
                                    .unit = what->chunk,
                                    .whole_units = what->filtered,
                                    .ops = &ops,
                                    .file = &open};
    if (st == MNP_OK)
        st = what->written ? mnp__transfer_write(&transfer) : mnp__transfer_read(&transfer);
    if (open.properties >= 0)
        H5Pclose(open.properties);
    return st;
}
