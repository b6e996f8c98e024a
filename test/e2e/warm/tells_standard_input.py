import os, sys
print(repr(sys.stdin.read()), os.readlink("/proc/self/fd/0"))
