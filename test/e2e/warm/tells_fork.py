# SPDX-License-Identifier: Apache-2.0
import os, sys
print("parent", flush=True)
if os.fork() == 0:
    print("child", os.environ["RANK"], flush=True)
    os._exit(0)
print("child ended with", os.wait()[1])
