# SPDX-License-Identifier: Apache-2.0
import atexit
atexit.register(print, "still runs")
raise KeyError("gone")
