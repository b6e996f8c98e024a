# SPDX-License-Identifier: Apache-2.0
import multiprocessing
class Thing:
    def __init__(self, value):
        self.value = value
def twice(thing):
    return thing.value * 2
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(twice, [Thing(1), Thing(21)]), multiprocessing.current_process().name)
