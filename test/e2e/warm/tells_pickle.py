# SPDX-License-Identifier: Apache-2.0
import pickle
class Point:
    pass
print(pickle.dumps(Point())[:60], Point.__module__, Point.__qualname__)
