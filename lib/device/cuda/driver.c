/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading the functions of the CUDA driver.
 */
#include <config.h>

#include "device/cuda/driver.h"

#include <dlfcn.h>

#include "base/status.h"

mnp_status mnp__driver_open(mnp__driver *driver)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "no NVIDIA driver here: %s", dlerror());
    const char *missing = NULL;
#define FIND(name, params) driver->name = (CUresult(*) params)dlsym(library, #name);
#define REQUIRE(name, params)                                                                                          \
    FIND(name, params)                                                                                                 \
    if (!driver->name)                                                                                                 \
        missing = #name;
    MNP__DRIVER_FUNCTIONS(REQUIRE)
    MNP__DRIVER_OPTIONAL(FIND)
#undef REQUIRE
#undef FIND
    if (missing) {
        dlclose(library);
        return MNP_FAIL(MNP_ERR_DEVICE, "the NVIDIA driver is too old: its libcuda.so.1 has no %s", missing);
    }
    driver->library = library;
    return MNP_OK;
}

void mnp__driver_close(mnp__driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    driver->library = NULL;
}
