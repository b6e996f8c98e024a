# SPDX-License-Identifier: Apache-2.0
import ctypes, os
os.environ["A"] = "1"
del os.environ["HOME"]
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print(libc.getenv(b"A"), libc.getenv(b"HOME"), libc.getenv(b"RANK"), libc.getenv(b"PYTHONPATH"))
