# SPDX-License-Identifier: Apache-2.0
import neighbour_module
print(neighbour_module.WORD, neighbour_module.__file__)
