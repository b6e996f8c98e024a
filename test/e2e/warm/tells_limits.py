# SPDX-License-Identifier: Apache-2.0
import os, resource
names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
print([(name, resource.getrlimit(getattr(resource, name))) for name in names])
print(oct(os.umask(0)), os.nice(0), sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0))
