# SPDX-License-Identifier: Apache-2.0
print(hash("a word") if __import__("os").environ.get("PYTHONHASHSEED") else "random")
