# SPDX-License-Identifier: Apache-2.0
import ctypes
number = ctypes.c_int()
ctypes.CDLL(None).prctl(2, ctypes.byref(number), 0, 0, 0)
print(number.value)
