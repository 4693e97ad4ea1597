/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple info FILE: what a file holds.
 */
#ifndef APPS_INFO_FILE_H
#define APPS_INFO_FILE_H

#include <stdbool.h>

/*
 * Show what an HDF5 file, FILE.npy, FILE.png, FILE.tif, FILE.fits or FILE.mtx holds; returns the exit status.  An HDF5
 * file is listed by the first process alone, without MPI.
 */
int info_file(const char *path, bool json);

#endif
