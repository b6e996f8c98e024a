# SPDX-License-Identifier: Apache-2.0
import atexit
atexit.register(print, "first registered")
atexit.register(print, "last registered")
print("body")
