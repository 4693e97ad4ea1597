/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element types: dtypes in memory, and in a file the HDF5 types that h5py uses for them.
 *
 * A bool is an enumeration {FALSE = 0, TRUE = 1} of one byte, a complex number a compound {r, i} of two floats.  A
 * float of two bytes is an HDF5 float whose fields tell its kind: 1 bit of sign, 5 of exponent and 10 of mantissa for
 * float16, as in h5py; 1, 8 and 7 for bfloat16, for which NumPy, and so h5py, has no type.  Numbers in a file may have
 * any size up to 8 bytes and any byte order; they become the smallest dtype that holds all of them.  That dtype is
 * never smaller than the type in the file, so numbers are converted in place.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "io/hdf5/h5.h"

/* The positions and sizes of the parts of a float of two bytes, in bits. */
typedef struct half_format {
    size_t exponent, exponent_size, mantissa_size, bias;
} half_format;

static const half_format float16_format = {10, 5, 10, 15}, bfloat16_format = {7, 8, 7, 127};

static hid_t new_half(const half_format *format)
{
    hid_t type = H5Tcopy(H5T_NATIVE_FLOAT);
    if (type >= 0 && H5Tset_fields(type, 15, format->exponent, format->exponent_size, 0, format->mantissa_size) >= 0 &&
        H5Tset_size(type, 2) >= 0 && H5Tset_ebias(type, format->bias) >= 0)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return H5I_INVALID_HID;
}

static bool has_format(hid_t type, const half_format *format)
{
    size_t sign, exponent, exponent_size, mantissa, mantissa_size;
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 2 &&
           H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 && sign == 15 &&
           exponent == format->exponent && exponent_size == format->exponent_size && mantissa == 0 &&
           mantissa_size == format->mantissa_size && H5Tget_ebias(type) == format->bias &&
           H5Tget_norm(type) == H5T_NORM_IMPLIED;
}

/*
 * The type of one number in memory: an element, or one of the two parts of a complex one.  Release it with H5Tclose().
 */
static hid_t new_number(mnp_dtype dtype)
{
    switch (dtype) {
    case MNP_BOOL:
    case MNP_INT8:
        return H5Tcopy(H5T_NATIVE_INT8);
    case MNP_INT16:
        return H5Tcopy(H5T_NATIVE_INT16);
    case MNP_INT32:
        return H5Tcopy(H5T_NATIVE_INT32);
    case MNP_INT64:
        return H5Tcopy(H5T_NATIVE_INT64);
    case MNP_UINT8:
        return H5Tcopy(H5T_NATIVE_UINT8);
    case MNP_UINT16:
        return H5Tcopy(H5T_NATIVE_UINT16);
    case MNP_UINT32:
        return H5Tcopy(H5T_NATIVE_UINT32);
    case MNP_UINT64:
        return H5Tcopy(H5T_NATIVE_UINT64);
    case MNP_FLOAT16:
        return new_half(&float16_format);
    case MNP_BFLOAT16:
        return new_half(&bfloat16_format);
    case MNP_COMPLEX64:
    case MNP_FLOAT32:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    case MNP_COMPLEX128:
    case MNP_FLOAT64:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    default:
        return H5I_INVALID_HID;
    }
}

static hid_t new_bool(void)
{
    const signed char no = 0, yes = 1;
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    if (type >= 0 && H5Tenum_insert(type, "FALSE", &no) >= 0 && H5Tenum_insert(type, "TRUE", &yes) >= 0)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return H5I_INVALID_HID;
}

static hid_t new_complex(mnp_dtype dtype)
{
    size_t size = mnp_dtype_size(dtype);
    hid_t type = H5Tcreate(H5T_COMPOUND, size), part = new_number(dtype);
    bool complete =
        type >= 0 && part >= 0 && H5Tinsert(type, "r", 0, part) >= 0 && H5Tinsert(type, "i", size / 2, part) >= 0;
    if (part >= 0)
        H5Tclose(part);
    if (complete)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return H5I_INVALID_HID;
}

hid_t mnp__h5_type_new(mnp_dtype dtype)
{
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        return new_bool();
    case 'c':
        return new_complex(dtype);
    default:
        return new_number(dtype);
    }
}

static bool member_is(hid_t type, unsigned index, const char *name)
{
    char *member = H5Tget_member_name(type, index);
    bool is = member && strcmp(member, name) == 0;
    H5free_memory(member);
    return is;
}

static bool is_bool(hid_t type)
{
    return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 && H5Tget_member_index(type, "FALSE") >= 0 &&
           H5Tget_member_index(type, "TRUE") >= 0;
}

/* Whether a compound is {r, i} with two floats of the same type and no padding. */
static bool is_complex(hid_t type)
{
    if (H5Tget_nmembers(type) != 2 || !member_is(type, 0, "r") || !member_is(type, 1, "i"))
        return false;
    hid_t r = H5Tget_member_type(type, 0), i = H5Tget_member_type(type, 1);
    size_t size = H5Tget_size(r);
    bool is = H5Tget_class(r) == H5T_FLOAT && H5Tequal(r, i) > 0 && H5Tget_member_offset(type, 0) == 0 &&
              H5Tget_member_offset(type, 1) == size && H5Tget_size(type) == 2 * size;
    H5Tclose(r);
    H5Tclose(i);
    return is;
}

/* The smallest dtype that holds all numbers of `type`, an integer or a float; MNP_DTYPE_AUTO if there is none. */
static mnp_dtype holding(hid_t type)
{
    static const mnp_dtype floats[] = {MNP_FLOAT32, MNP_FLOAT64};
    static const mnp_dtype signeds[] = {MNP_INT8, MNP_INT16, MNP_INT32, MNP_INT64};
    static const mnp_dtype unsigneds[] = {MNP_UINT8, MNP_UINT16, MNP_UINT32, MNP_UINT64};
    bool is_float = H5Tget_class(type) == H5T_FLOAT;
    if (has_format(type, &float16_format) || has_format(type, &bfloat16_format))
        return has_format(type, &float16_format) ? MNP_FLOAT16 : MNP_BFLOAT16;
    const mnp_dtype *choice = is_float ? floats : H5Tget_sign(type) == H5T_SGN_NONE ? unsigneds : signeds;
    for (int i = 0; i < (is_float ? 2 : 4); i++)
        if (H5Tget_size(type) <= mnp_dtype_size(choice[i]))
            return choice[i];
    return MNP_DTYPE_AUTO;
}

static mnp_dtype complex_of(mnp_dtype part)
{
    if (part == MNP_DTYPE_AUTO)
        return part;
    return part == MNP_FLOAT64 ? MNP_COMPLEX128 : MNP_COMPLEX64;
}

static const char *class_name(H5T_class_t class)
{
    switch (class) {
    case H5T_INTEGER:
        return "integers of more than 8 bytes";
    case H5T_FLOAT:
        return "floats of more than 8 bytes";
    case H5T_STRING:
        return "strings";
    case H5T_COMPOUND:
        return "compounds";
    case H5T_ARRAY:
        return "arrays as elements";
    case H5T_VLEN:
        return "lists of varying length";
    case H5T_REFERENCE:
        return "references";
    case H5T_BITFIELD:
        return "bit fields";
    case H5T_OPAQUE:
        return "opaque bytes";
    default:
        return "elements of an unknown type";
    }
}

void mnp__h5_type_find(mnp__h5_type *type)
{
    H5T_class_t class = H5Tget_class(type->stored);
    if (class == H5T_INTEGER || class == H5T_FLOAT) {
        type->from = H5Tcopy(type->stored);
        type->dtype = holding(type->from);
    } else if (class == H5T_ENUM) {
        type->from = H5Tget_super(type->stored);
        type->dtype = is_bool(type->stored) ? MNP_BOOL : holding(type->from);
    } else if (class == H5T_COMPOUND && is_complex(type->stored)) {
        type->from = H5Tget_member_type(type->stored, 0);
        type->dtype = complex_of(holding(type->from));
    }
}

void mnp__h5_type_text(hid_t stored, char text[MNP__H5_TYPE_TEXT])
{
    mnp__h5_type type = {MNP_DTYPE_AUTO, stored, H5I_INVALID_HID, H5I_INVALID_HID};
    mnp__h5_type_find(&type);
    if (type.dtype == MNP_DTYPE_AUTO)
        snprintf(text, MNP__H5_TYPE_TEXT, "%s", class_name(H5Tget_class(stored)));
    else
        snprintf(text, MNP__H5_TYPE_TEXT, "%s%s",
                 H5Tget_size(type.from) > 1 && H5Tget_order(type.from) == H5T_ORDER_BE ? "big-endian " : "",
                 mnp_dtype_name(type.dtype));
    if (type.from >= 0)
        H5Tclose(type.from);
}

mnp_status mnp__h5_type_open(hid_t dataset, const char *what, mnp__h5_type *type)
{
    *type = (mnp__h5_type){MNP_DTYPE_AUTO, H5Dget_type(dataset), H5I_INVALID_HID, H5I_INVALID_HID};
    if (type->stored < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read the type of %s: %s", what, mnp__h5_reason());
    const H5T_class_t class = H5Tget_class(type->stored);
    mnp__h5_type_find(type);
    if (type->dtype != MNP_DTYPE_AUTO) {
        type->to = new_number(type->dtype);
        if (type->to >= 0)
            return MNP_OK;
        mnp__h5_type_close(type);
        return MNP_FAIL(MNP_ERR_IO, "cannot make an HDF5 type for %s: %s", what, mnp__h5_reason());
    }
    mnp__h5_type_close(type);
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "%s holds %s: only integers and floats of up to 8 bytes, bool and complex numbers can be read",
                    what, class_name(class));
}

void mnp__h5_type_close(mnp__h5_type *type)
{
    if (type->from >= 0)
        H5Tclose(type->from);
    if (type->to >= 0)
        H5Tclose(type->to);
    if (type->stored >= 0)
        H5Tclose(type->stored);
    type->from = type->to = type->stored = H5I_INVALID_HID;
}

/* Convert float16 to float32 in place, from the last to the first as they grow.  HDF5's own conversion is slow. */
static void widen_halves(bool swapped, size_t count, void *data)
{
    unsigned char *bytes = data;
    for (size_t i = count; i-- > 0;) {
        uint16_t half;
        memcpy(&half, bytes + 2 * i, sizeof half);
        float value = mnp_float16_to_float(swapped ? __builtin_bswap16(half) : half);
        memcpy(bytes + 4 * i, &value, sizeof value);
    }
}

mnp_status mnp__h5_type_convert(const mnp__h5_type *type, int64_t count, void *data)
{
    if (type->dtype == MNP_BOOL) { /* a damaged file may hold other values than 0 and 1 */
        unsigned char *bytes = data;
        for (int64_t i = 0; i < count; i++)
            bytes[i] = bytes[i] != 0;
        return MNP_OK;
    }
    if (H5Tequal(type->from, type->to) > 0)
        return MNP_OK;
    size_t numbers = (size_t)count * (mnp_dtype_kind(type->dtype) == 'c' ? 2 : 1);
    if (type->dtype == MNP_COMPLEX64 && has_format(type->from, &float16_format))
        widen_halves(H5Tget_order(type->from) != H5Tget_order(type->to), numbers, data);
    else if (H5Tconvert(type->from, type->to, numbers, data, NULL, H5P_DEFAULT) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot convert numbers of the file to %s: %s", mnp_dtype_name(type->dtype),
                        mnp__h5_reason());
    return MNP_OK;
}
