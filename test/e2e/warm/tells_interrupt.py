# SPDX-License-Identifier: Apache-2.0
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()
except KeyboardInterrupt:
    print("interrupted")
