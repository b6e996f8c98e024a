# SPDX-License-Identifier: Apache-2.0
import os
print(os.getcwd(), os.listdir("."))
