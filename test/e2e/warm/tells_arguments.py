# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.argv, sys.orig_argv[1:], open("/proc/self/cmdline").read().split("\0")[1:])
