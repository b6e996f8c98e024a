# SPDX-License-Identifier: Apache-2.0
import locale, sys, time
print(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(), sys.getfilesystemencoding(), time.tzname, sys.dont_write_bytecode)
print(sys.getswitchinterval(), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(), sys.excepthook is sys.__excepthook__)
