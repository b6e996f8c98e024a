// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/gzip.h"

#include <zlib.h>

namespace muster::ssh {
namespace {

constexpr int kGzipFormat = MAX_WBITS + 16;  // see deflateInit2() in zlib.h
constexpr int kMemory = 8;                   // zlib's default
constexpr std::string_view kHead("\x1f\x8b\x08", 3);
constexpr size_t kShortest = 18;  // header and trailer

}  // namespace

Result<std::string> gzip(std::string_view text) {
  z_stream stream{};
  const Status no_memory(Code::resource_exhausted, "cannot compress for gzip: out of memory");
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return no_memory;
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return done ? Result<std::string>(std::move(out)) : no_memory;
}

uint64_t unpacked_size(std::string_view packed) {
  if (packed.size() < kShortest || !packed.starts_with(kHead)) return 0;
  uint64_t size = 0;
  for (size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(packed[packed.size() - i]);
  return size;
}

}  // namespace muster::ssh
