#include "core/system/linux/large_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <vector>

namespace muster {
namespace {

// A sanitizer brings an allocator of its own, which mallinfo2(3) does not count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr size_t kLarge = 512 << 10;

size_t pieces_of_their_own() { return mallinfo2().hblks; }

TEST(LargeMemoryTest, what_is_large_has_a_mapping_of_its_own_however_often_it_was_freed) {
  give_back_large_memory();
  for (int i = 0; i < 3; ++i) {
    const size_t before = pieces_of_their_own();
    const std::vector<char> large(kLarge);
    EXPECT_EQ(pieces_of_their_own(), before + 1) << i;
  }
}
#endif

}  // namespace
}  // namespace muster
