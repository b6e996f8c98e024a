// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/packed_text.h"

#include <zlib.h>

namespace muster::pod {
namespace {

constexpr size_t kMostUnpacked = 64 << 20;
constexpr size_t kTextLengthBytes = 4;

Status damaged() { return Status(Code::data_loss, "the packed text is damaged"); }

}  // namespace

std::string packed_text(std::string_view text, size_t most) {
  if (text.size() > kMostUnpacked) return "";
  uLongf size = compressBound(text.size());
  std::string packed(kTextLengthBytes + size, '\0');
  for (size_t i = 0; i < kTextLengthBytes; ++i) packed[i] = static_cast<char>(text.size() >> (8 * i) & 0xFFU);
  auto* into = reinterpret_cast<Bytef*>(packed.data() + kTextLengthBytes);
  const bool done = compress(into, &size, reinterpret_cast<const Bytef*>(text.data()), text.size()) == Z_OK;
  if (!done || kTextLengthBytes + size > most) return "";
  packed.resize(kTextLengthBytes + size);
  return packed;
}

Result<std::string> unpacked_text(std::string_view packed) {
  if (packed.size() < kTextLengthBytes) return damaged();
  size_t length = 0;
  for (size_t i = 0; i < kTextLengthBytes; ++i) length |= size_t{static_cast<unsigned char>(packed[i])} << (8 * i);
  if (length == 0 || length > kMostUnpacked) return damaged();
  std::string text(length, '\0');
  uLongf size = length;
  const std::string_view rest = packed.substr(kTextLengthBytes);
  const bool done = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                               reinterpret_cast<const Bytef*>(rest.data()), rest.size()) == Z_OK;
  if (!done || size != length) return damaged();
  return text;
}

}  // namespace muster::pod
