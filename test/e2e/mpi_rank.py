# SPDX-License-Identifier: Apache-2.0
"""The text of a rank that calls libpmix as an MPI library does."""

# The calls of MPI_Init, an exchange of data, and MPI_Finalize.
PROGRAM = """
import ctypes, os, sys
class Proc(ctypes.Structure):
    _fields_ = [("space", ctypes.c_char * 256), ("rank", ctypes.c_uint32)]
class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint16), ("number", ctypes.c_uint64), ("rest", ctypes.c_uint64 * 2)]
class Info(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char * 512), ("flags", ctypes.c_uint32), ("value", Value)]
pmix = ctypes.CDLL("libpmix.so.2")
UINT32, BOOL, GLOBAL, ALL = 14, 1, 3, 2**32 - 2

def check(status):
    if status != 0:
        sys.exit(f"libpmix: {status}")

def get(rank, key):
    found = ctypes.POINTER(Value)()
    check(pmix.PMIx_Get(ctypes.byref(Proc(me.space, rank)), key.encode(), None, 0, ctypes.byref(found)))
    return found.contents.number & (2**32 - 1)

def meet():
    collect = Info(b"pmix.collect", 0, Value(BOOL, 1))
    check(pmix.PMIx_Fence(None, 0, ctypes.byref(collect), 1))

me = Proc()
check(pmix.PMIx_Init(ctypes.byref(me), None, 0))
size = get(ALL, "pmix.job.size")
check(pmix.PMIx_Put(GLOBAL, b"mine", ctypes.byref(Value(UINT32, 100 + me.rank))))
check(pmix.PMIx_Commit())
meet()
seen = [get(rank, "mine") for rank in range(size)]
print(f"rank {me.rank} of {size}, {get(ALL, 'pmix.local.size')} here, sees {seen}, attempt {os.environ['MUSTER_ATTEMPT']}", flush=True)
"""
END = "check(pmix.PMIx_Finalize(None, 0))\n"


def mpi_rank(lines=""):
    """A Python program that meets its peers, prints what it sees of them, runs these lines and leaves."""
    return PROGRAM + lines + "\n" + END
