# SPDX-License-Identifier: Apache-2.0
import multiprocessing
def add(a, b):
    return a + b
if __name__ == "__main__":
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        print(pool.starmap(add, [(1, 2)]))
