# SPDX-License-Identifier: Apache-2.0
import os, sys
print(sys.stdout.line_buffering, sys.stdout.write_through, sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.errors)
print(sys.stderr.line_buffering, sys.stderr.errors, sys.stdin.encoding, sys.stdin.isatty())
sys.stdout.write("before ")
os.write(1, b"after ")
