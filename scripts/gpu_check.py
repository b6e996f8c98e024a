# SPDX-License-Identifier: Apache-2.0
"""Parts of scripts/gpu-check that call the driver. They use ctypes, so nothing has to be built or installed for them.

    gpu_check.py gpus              prints "COUNT CUDA-VERSION CAPABILITY NAME" of the driver's GPUs: "2 13000 90 NVIDIA H100"
    gpu_check.py nccl              prints the path and the version of a libnccl.so.2 that can be loaded
    gpu_check.py doctor            prints the finding about GPUs in the output of `muster doctor -o json`, read from stdin
    gpu_check.py rank LIBRARY      a rank of a job: runs an all_reduce on the GPU over NCCL with this libmuster

On a failure it prints a message to stderr and exits with 1.
"""

import ctypes
import json
import os
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

VALUES = 1 << 20  # floats
NCCL = 2  # MUSTER_BACKEND_NCCL
FLOAT32, SUM = 7, 0
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…


class Driver:
    """libcuda; a failed call ends the program with the driver's message."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL(os.environ.get("MUSTER_CUDA_LIBRARY") or "libcuda.so.1")
        except OSError as error:
            sys.exit(str(error))
        self.cuInit(0)

    def __getattr__(self, name):
        def call(*arguments):
            code = getattr(self.library, name)(*arguments)
            if code == 0:
                return
            words = c_char_p()
            self.library.cuGetErrorString(code, byref(words))
            sys.exit(f"{name}: {words.value.decode() if words.value else f'error {code}'}")
        return call

    def number(self, name, *arguments):
        value = c_int()
        getattr(self, name)(byref(value), *arguments)
        return value.value


def gpus():
    cuda = Driver()
    count = cuda.number("cuDeviceGetCount")
    if count == 0:
        sys.exit("the driver shows no GPU; is CUDA_VISIBLE_DEVICES set?")
    device = cuda.number("cuDeviceGet", 0)
    name = ctypes.create_string_buffer(256)
    cuda.cuDeviceGetName(name, 256, device)
    capability = 10 * cuda.number("cuDeviceGetAttribute", MAJOR, device) + cuda.number("cuDeviceGetAttribute", MINOR, device)
    print(count, cuda.number("cuDriverGetVersion"), capability, name.value.decode())


def nccl():
    named = os.environ.get("MUSTER_NCCL_LIBRARY")
    candidates = [named] if named else ["libnccl.so.2"]
    if not named:  # the folders of the wheel nvidia-nccl-… and of PyTorch
        candidates += [os.path.join(path, place, "libnccl.so.2") for path in sys.path for place in ("nvidia/nccl/lib", "torch/lib")]
    errors = []
    for candidate in candidates:
        if os.path.isabs(candidate) and not os.path.exists(candidate):
            continue
        try:
            version = c_int()
            ctypes.CDLL(candidate).ncclGetVersion(byref(version))
            return print(candidate, version.value)
        except OSError as error:
            errors.append(str(error))
    sys.exit("; ".join(errors))


def doctor():
    for finding in json.load(sys.stdin)["findings"]:
        if finding["subject"] != "gpus":
            continue
        if finding["level"] == "ok" and finding["text"][:1].isdigit():
            return print(finding["text"])
        sys.exit(finding["text"])
    sys.exit("doctor printed nothing about GPUs")


class Options(ctypes.Structure):
    """muster_communicator_options."""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("backend", c_int), ("timeout", c_double), ("stream", c_void_p)]


def rank(path):
    muster = ctypes.CDLL(path)
    muster.muster_last_error.restype = c_char_p

    def need(code):
        if code != 0:
            sys.exit(muster.muster_last_error().decode())

    cuda = Driver()
    context = c_void_p()
    cuda.cuDevicePrimaryCtxRetain(byref(context), cuda.number("cuDeviceGet", 0))
    cuda.cuCtxSetCurrent(context)
    given, found = c_uint64(), c_uint64()
    cuda.cuMemAlloc_v2(byref(given), c_size_t(4 * VALUES))
    cuda.cuMemAlloc_v2(byref(found), c_size_t(4 * VALUES))
    values = (ctypes.c_float * VALUES)(*range(VALUES))
    cuda.cuMemcpyHtoD_v2(given, values, c_size_t(4 * VALUES))
    cuda.cuCtxSynchronize()

    job, world = c_void_p(), c_void_p()
    need(muster.muster_open(byref(job)))
    options = Options(ctypes.sizeof(Options), b"gpu-check", NCCL, 120)
    need(muster.muster_communicator_open(job, byref(options), byref(world)))
    need(muster.muster_all_reduce(world, c_void_p(given.value), c_void_p(found.value), c_size_t(VALUES), FLOAT32, SUM))
    need(muster.muster_synchronize(world))
    sums = (ctypes.c_float * VALUES)()
    cuda.cuMemcpyDtoH_v2(sums, found, c_size_t(4 * VALUES))
    muster.muster_communicator_close(world)
    muster.muster_close(job)
    if bytes(sums) != bytes(values):
        wrong = next(i for i in range(VALUES) if sums[i] != values[i])
        sys.exit(f"all_reduce with one rank gave a wrong value at index {wrong}: {sums[wrong]:g} instead of {values[wrong]:g}")
    print(f"all_reduce of {VALUES} floats on the GPU is correct")


if __name__ == "__main__":
    {"gpus": gpus, "nccl": nccl, "doctor": doctor, "rank": rank}[sys.argv[1]](*sys.argv[2:])
