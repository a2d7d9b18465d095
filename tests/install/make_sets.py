#!/usr/bin/env python3
"""make_sets.py FOLDER: 20 sets of 30 points in four dimensions, as .npy files."""
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
random.seed(1)
for i in range(20):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (30, 4), }"
    header = text + " " * (117 - len(text)) + "\n"
    values = [random.gauss(i % 2, 1) for _ in range(120)]
    (folder / f"{i:02}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                         struct.pack("<120f", *values))
