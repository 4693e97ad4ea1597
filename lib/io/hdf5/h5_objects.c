/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups are made, and objects and attributes removed, each in a session of its own on rank 0 (h5_session.h).
 */
#include <maniple/h5_file.h>

#include "base/status.h"
#include "io/hdf5/h5_handle.h"
#include "io/hdf5/h5_session.h"

/* What a change is about.  `place` is that of the object, and empty where the change is one of attributes. */
struct target {
    mnp_h5_file *file;
    const char *object, *attribute;
    mnp__h5_place place;
};

typedef mnp_status changer(hid_t file, const struct target *target);

static mnp_status in_session(const struct target *target, changer *change)
{
    mnp__h5_session session;
    mnp_status st = mnp__h5_session_begin(target->file->name, &session);
    if (st == MNP_OK)
        st = change(session.file, target);
    if (st == MNP_OK)
        st = mnp__h5_session_prepare(&session);
    if (st == MNP_OK)
        st = mnp__h5_session_commit(&session);
    mnp__h5_session_end(&session);
    return st;
}

/* Run a change on rank 0, and agree.  Collective. */
static mnp_status run(struct target *target, changer *change)
{
    mnp_ctx *ctx = target->file->ctx;
    mnp__h5_printing printing;
    if (!target->file->writable)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' was opened for reading alone", target->file->name);
    if (!target->attribute)
        MNP_TRY(mnp__h5_place_new(target->file->name, target->object, &target->place));
    mnp__h5_printing_off(&printing);
    /* what is written in the background may be on its way to what is removed, whose space is used again */
    mnp_status st = MNP_AGREE(ctx, mnp__plain_file_catch_up(&target->file->values));
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, ctx->comm.rank == 0 ? in_session(target, change) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&target->place);
    return st;
}

static mnp_status make_group(hid_t file, const struct target *target)
{
    const mnp__h5_place *place = &target->place;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), group = H5I_INVALID_HID,
          object = H5Oopen(file, place->dataset, H5P_DEFAULT);
    mnp_status st = MNP_OK;
    if (object >= 0)
        st = MNP_FAIL(MNP_ERR_ARG, "%s exists already", place->text);
    else if (H5Pset_create_intermediate_group(links, 1) < 0 ||
             (group = H5Gcreate2(file, place->dataset, links, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        st = MNP_FAIL(MNP_ERR_IO, "cannot make %s: %s", place->text, mnp__h5_reason());
    const hid_t ids[] = {object, group, links};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            H5Idec_ref(ids[i]);
    return st;
}

mnp_status mnp_h5_file_make_group(mnp_h5_file *file, const char *group)
{
    MNP_ENTER(file, group);
    return run(&(struct target){.file = file, .object = group}, make_group);
}

static mnp_status remove_attribute(hid_t file, const struct target *target)
{
    const char *object = target->object, *name = target->attribute;
    if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) <= 0)
        return MNP_FAIL(MNP_ERR_IO, "'%s' in '%s' has no attribute '%s', or does not exist", object, target->file->name,
                        name);
    return H5Adelete_by_name(file, object, name, H5P_DEFAULT) >= 0
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_IO, "cannot remove attribute '%s' of '%s': %s", name, object, mnp__h5_reason());
}

static mnp_status remove_object(hid_t file, const struct target *target)
{
    const mnp__h5_place *place = &target->place;
    hid_t object;
    MNP_TRY(mnp__h5_open_object(file, place, &object));
    H5Oclose(object);
    return H5Ldelete(file, place->dataset, H5P_DEFAULT) >= 0
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_IO, "cannot remove %s: %s", place->text, mnp__h5_reason());
}

mnp_status mnp_h5_file_remove(mnp_h5_file *file, const char *object, const char *attribute)
{
    MNP_ENTER(file, object);
    return run(&(struct target){.file = file, .object = object, .attribute = attribute},
               attribute ? remove_attribute : remove_object);
}
