# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.path, sys.prefix, sys.executable, sys.flags, sys.warnoptions, sys._xoptions)
print([type(each).__name__ for each in sys.meta_path], len(sys.path_hooks))
print("sitecustomize" in sys.modules and sys.modules["sitecustomize"].__file__)
