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

Heard hear(std::string_view message) {
  // A usual call's message finds room here, and asks for no memory.
  alignas(std::max_align_t) char room[1024];
  google::protobuf::ArenaOptions options;
  options.initial_block = room;
  options.initial_block_size = sizeof room;
  google::protobuf::Arena arena(options);
  auto* request = google::protobuf::Arena::CreateMessage<wire::WorkerRequest>(&arena);
  Heard heard;
  heard.understood = request->ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (!heard.understood) return heard;
  heard.call = from_wire(*request, heard.trouble);
  return heard;
}

}  // namespace muster
