"""Vectors as one parameter of a statement: a `real[]` of all their numbers in PostgreSQL's binary form.

As text each number is written, sent and read digit by digit, which of twenty vectors was a tenth of a conversation.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

ELEMENT = np.dtype([("length", ">i4"), ("number", ">f4")])
NONE = np.zeros(0, np.float32)
HEADER = struct.Struct(
    ">iiIii"
)  # dimensions, whether some are null, type of the elements, how many, number of the first


@dataclass(frozen=True)
class FloatArray:
    """The numbers of these vectors one after the other, rounded as a halfvec rounds them."""

    vectors: Sequence[Any]


class FloatArrayDumper(Dumper):
    format = Format.BINARY
    oid = types["float4"].array_oid

    def dump(self, obj: FloatArray) -> bytes:
        numbers = np.concatenate([NONE, *obj.vectors]).astype(np.float16)
        elements = np.empty(numbers.size, ELEMENT)
        elements["length"], elements["number"] = 4, numbers
        return HEADER.pack(1, 0, types["float4"].oid, numbers.size, 1) + elements.tobytes()


psycopg.adapters.register_dumper(FloatArray, FloatArrayDumper)
