# SPDX-License-Identifier: Apache-2.0
import gc, weakref
class Node:
    pass
a, b = Node(), Node()
a.other, b.other = b, a
seen = weakref.ref(a)
del a, b
gc.collect()
print(seen(), gc.isenabled(), gc.get_threshold(), gc.garbage)
