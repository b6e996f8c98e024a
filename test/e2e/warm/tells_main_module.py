# SPDX-License-Identifier: Apache-2.0
import __main__, sys
names = sorted(name for name in vars(__main__) if name.startswith("__"))
print(names, __name__, __file__, __spec__, __package__, __cached__ if "__cached__" in globals() else None, type(__loader__).__name__)
print(sys.modules["__main__"] is __main__, sorted(set(vars(__main__)) - set(names)))
