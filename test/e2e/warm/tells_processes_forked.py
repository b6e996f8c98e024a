# SPDX-License-Identifier: Apache-2.0
import multiprocessing
def square(x):
    return x * x
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(square, range(5)))
