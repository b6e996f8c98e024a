// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/worker_connection.h"

#include <google/protobuf/arena.h>

#include <cstddef>

#include "core/wire/values/convert.h"

namespace muster {

void append_frame(std::string& out, const wire::WorkerReply& message) {
  const size_t begin = out.size(), length = message.ByteSizeLong();
  out.resize(begin + kHeader + length);
  for (size_t i = 0; i < kHeader; ++i) out[begin + i] = static_cast<char>(length >> (8 * i) & 0xff);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(out.data() + begin + kHeader));
}

ParsedCall parse_call(std::string_view message) {
  // Large enough for most messages, so that they need no allocation.
  alignas(std::max_align_t) char block[1024];
  google::protobuf::ArenaOptions options;
  options.initial_block = block;
  options.initial_block_size = sizeof block;
  google::protobuf::Arena arena(options);
  auto* request = google::protobuf::Arena::CreateMessage<wire::WorkerRequest>(&arena);
  ParsedCall parsed;
  parsed.valid = request->ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (!parsed.valid) return parsed;
  parsed.call = from_wire(*request, parsed.trouble);
  return parsed;
}

}  // namespace muster
