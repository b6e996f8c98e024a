#include "core/system/linux/large_memory.h"

#include <malloc.h>

namespace muster {

// To set it, even to what it is, ends its growth (mallopt(3)).
void give_back_large_memory() { mallopt(M_MMAP_THRESHOLD, 128 << 10); }

}  // namespace muster
