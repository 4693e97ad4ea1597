# SPDX-License-Identifier: BSD-3-Clause
"""Structs of functions that read and write files."""

import ctypes


class Item(ctypes.Structure):
    """mnp_h5_item"""
    _fields_ = [("dataset", ctypes.c_char_p), ("array", ctypes.c_void_p)]


class Attribute(ctypes.Structure):
    """mnp_h5_attribute"""
    _fields_ = [("object", ctypes.c_char_p), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p),
                ("dtype", ctypes.c_int), ("count", ctypes.c_int64), ("values", ctypes.c_void_p)]


class Selection(ctypes.Structure):
    """mnp_selection"""
    _fields_ = [("subscripts", ctypes.c_char_p), ("start", ctypes.POINTER(ctypes.c_int64)),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("ahead", ctypes.c_bool)]
