# SPDX-License-Identifier: Apache-2.0
import inspect, sys, traceback
print([frame.function for frame in inspect.stack()], len(traceback.extract_stack()))
sys.setrecursionlimit(80)
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(depth(0))
