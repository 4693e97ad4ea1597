/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 files that grow: a simulation appends a step to a file, or fills a dataset box by box.
 *
 * mnp_h5_write() replaces a file as a whole, which copies its other contents.  Here a file is changed in place, and
 * only new data is written.  Every call that changes a file is all or nothing, also if the process is killed or the
 * power fails at any moment: the earlier contents are intact, and the changes of every call that has returned are on
 * disk.
 *
 * - While values are written, and if the process ends then, other programs see the file as it was.
 * - At the end of a call the file is changed, which takes milliseconds.  Meanwhile other programs take it for no HDF5
 *   file.  If the process is killed just then, it stays so until a call or command of Maniple reads the file, with
 *   permission to write to it: this completes the change.
 * - The exception is mnp_h5_file_write() to elements that exist: if the process ends meanwhile, some of them have the
 *   old values and some the new ones.
 *
 * Other programs may read the file between the calls.  A call waits for some seconds for a program that has the file
 * open, and then fails; nothing is lost.  Where the file system has no locks, no program may have the file open while
 * it is changed.  Datasets that are changed are not compressed.  HDF5 1.10.3 or later is needed.
 */
#ifndef MANIPLE_H5_FILE_H
#define MANIPLE_H5_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/h5.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_h5_file mnp_h5_file;

/*
 * Open a file, which all ranks see.  No lock is held between calls.
 *
 *   writable  the file will be changed; if it does not exist, it is made, without anything in it
 *
 * MNP_ERR_IO, MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_h5_file_open(mnp_ctx *ctx, const char *file, bool writable, mnp_h5_file **file_p);

/*
 * Whether calls wait until all that they have written is on disk, as they do from the start.  With `sync` false those
 * that write values copy them, and a thread of this rank writes them while the program computes, so that as much memory
 * is needed as the values of one call take; the next one waits for them.  A call with `sync` true waits until all is on
 * disk; before that a failure of power or of a rank may damage the file, so this is for files that are of no use before
 * they are complete.  MNP_ERR_IO, also if something that was written before has failed.  Collective.
 */
MNP_API mnp_status mnp_h5_file_set_sync(mnp_h5_file *file, bool sync);

/*
 * Close a file, when all that has been written is with the operating system; NULL is accepted.  Whether that has failed
 * since mnp_h5_file_set_sync(file, false), a call of that with true tells, before this one.  Collective.
 */
MNP_API void mnp_h5_file_close(mnp_h5_file *file);

#define MNP_H5_NEW_AXIS (-1)
#define MNP_H5_WHOLE (-2)

/*
 * Append arrays to datasets, or make datasets of them, and set attributes; all of this appears at once.
 *
 *   axis     MNP_H5_NEW_AXIS: an array of shape S becomes the last index of a dataset of shape (n + 1, *S).
 *            MNP_H5_WHOLE: it becomes a dataset of its shape, which does not exist yet and cannot grow.  Otherwise the
 *            dimension along which array and dataset are concatenated; in the others they have the same extents
 *   items    `count` arrays of one context and their datasets, whose names differ; a dataset that does not exist is
 *            made, so that it can grow along that axis, and one that exists must be able to (h5py: maxshape, chunks)
 *            and have the array's dtype
 *
 * MNP_ERR_ARG if shapes, dtypes or axes do not fit, or there is something of a new dataset's name; MNP_ERR_UNSUPPORTED
 * if a dataset is compressed, or cannot grow; MNP_ERR_IO, in a message with the file and the reason; MNP_ERR_MEMORY.
 * Collective.
 */
MNP_API mnp_status mnp_h5_file_append(mnp_h5_file *file, int axis, int count, const mnp_h5_item *items, int nattributes,
                                      const mnp_h5_attribute *attributes);

/*
 * Check, without writing, whether arrays could be appended to a dataset along that axis: whether the file can be
 * written, and the dataset, if there is one, can grow.  For programs that compute for a long time before they write.
 * Errors as for mnp_h5_file_append().  Collective.
 */
MNP_API mnp_status mnp_h5_check_append(mnp_ctx *ctx, const char *file, const char *dataset, int axis);

/*
 * Make a dataset without values: they are 0 until they are written.  It can grow along `axis`, or along none if that is
 * MNP_NO_AXIS.  MNP_ERR_ARG, also if there is something of that name; MNP_ERR_IO.  Collective.
 */
MNP_API mnp_status mnp_h5_file_create(mnp_h5_file *file, const char *dataset, mnp_dtype dtype, int ndim,
                                      const int64_t *shape, int axis);

/*
 * Write an array to the box of a dataset that begins at index `start` and has the array's shape; the dtypes are the
 * same.  Errors as for mnp_h5_file_append(), and MNP_ERR_ARG if the box does not lie in the dataset.  Collective.
 */
MNP_API mnp_status mnp_h5_file_write(mnp_h5_file *file, const char *dataset, const int64_t *start,
                                     const mnp_array *array);

/* Set attributes of objects that exist.  Errors as for mnp_h5_file_append().  Collective. */
MNP_API mnp_status mnp_h5_file_set_attributes(mnp_h5_file *file, int count, const mnp_h5_attribute *attributes);

/*
 * Make a group, and those that it is in.  MNP_ERR_ARG, also if there is something of that name; MNP_ERR_IO.
 * Collective.
 */
MNP_API mnp_status mnp_h5_file_make_group(mnp_h5_file *file, const char *group);

/*
 * Remove a dataset or a group with all that is in it, or an attribute of one.  The space that values had stays in the
 * file, and is not used again, unless it is at the end of the file.
 *
 *   object     the path; "/", of which only attributes can be removed, is the file itself
 *   attribute  the name of the attribute; NULL: the object is removed, and its attributes with it
 *
 * MNP_ERR_IO if it does not exist, MNP_ERR_ARG.  Collective.
 */
MNP_API mnp_status mnp_h5_file_remove(mnp_h5_file *file, const char *object, const char *attribute);

/*
 * Read numbers of an attribute, converted to a dtype as HDF5 converts them, on all ranks.
 *
 *   object   the path of the dataset or group that has it; "/" for the file's own
 *   most     how many numbers `values` has room for
 *   count_p  receives how many the attribute has
 *
 * MNP_ERR_IO if there is none, MNP_ERR_ARG if it has more than `most` numbers, MNP_ERR_UNSUPPORTED if it has no
 * numbers.  Collective.
 */
MNP_API mnp_status mnp_h5_file_get_attribute(mnp_h5_file *file, const char *object, const char *name, mnp_dtype dtype,
                                             int64_t most, void *values, int64_t *count_p);

/* Read the string of an attribute, cut after `size` - 1 bytes, on all ranks.  Errors as above.  Collective. */
MNP_API mnp_status mnp_h5_file_get_text(mnp_h5_file *file, const char *object, const char *name, size_t size,
                                        char *text);

/* mnp_h5_inspect() and mnp_h5_read_selection() of that file; `selection` NULL: all.  Collective. */
MNP_API mnp_status mnp_h5_file_inspect(mnp_h5_file *file, const char *dataset, mnp_h5_info *info_p);
MNP_API mnp_status mnp_h5_file_read(mnp_h5_file *file, const char *dataset, const mnp_selection *selection,
                                    const mnp_layout *layout, mnp_array **array_p);

#ifdef __cplusplus
}
#endif

#endif
