# SPDX-License-Identifier: BSD-3-Clause
"""What record_writes.c has recorded of the writers of a file, and doing it again."""

import glob
import struct


def records(log):
    """(letter, offset, size, bytes) of all processes, in the order of time; LOG.*: their records."""
    found = []
    for name in glob.glob(log + ".*"):
        with open(name, "rb") as file:
            while head := file.read(32):
                seconds, letter, offset, size = struct.unpack("dqqq", head)
                found.append((seconds, chr(letter), offset, size, file.read(size) if chr(letter) == "w" else b""))
    return [record[1:] for record in sorted(found, key=lambda record: record[0])]


def do(image, record, part=None):
    """Do to the bytes of a file what was recorded, of a write a part if that is given."""
    letter, offset, size, data = record
    if letter == "w":
        data = data[:part]
        if len(image) < offset:
            image.extend(bytes(offset - len(image)))
        image[offset:offset + len(data)] = data
    elif letter == "t":
        del image[size:]
        image.extend(bytes(size - len(image)))
    elif letter == "a" and len(image) < offset + size:
        image.extend(bytes(offset + size - len(image)))
