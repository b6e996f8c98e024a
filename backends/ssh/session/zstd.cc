// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/zstd.h"

#include <zstd.h>

namespace muster::ssh {
namespace {

constexpr int kLevel = 9;  // as small as gzip's default level, in half the time

}  // namespace

Result<std::string> zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(size) != 0) return Status(Code::resource_exhausted, "cannot compress for zstd: out of memory");
  out.resize(size);
  return out;
}

uint64_t zstd_unpacked_size(std::string_view packed) {
  if (ZSTD_findFrameCompressedSize(packed.data(), packed.size()) != packed.size()) return 0;
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? 0 : size;
}

}  // namespace muster::ssh
