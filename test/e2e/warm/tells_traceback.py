# SPDX-License-Identifier: Apache-2.0
def inner():
    raise ValueError("no such thing")
try:
    inner()
except ValueError as error:
    raise RuntimeError("outer") from error
