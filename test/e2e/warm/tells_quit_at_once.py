# SPDX-License-Identifier: Apache-2.0
import os, sys
sys.stdout.write("never flushed" * 2)
os._exit(3)
