// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/frames.h"

#include "core/worker/client/wire.h"

namespace muster::worker {
namespace {

// An upper bound of the bytes around a body.
constexpr size_t kEnvelope = 64;

// Builds a frame: its length (little-endian), then the message. One allocation.
template <typename Fill>
std::string request(const Asker& asker, uint32_t field, size_t room, Fill fill) {
  constexpr std::string_view kHeader("\0\0\0\0", 4);
  WireWriter message(kHeader, kEnvelope + room);
  message.number(1, kProtocol).number(2, asker.attempt).number(3, asker.index).message(field, fill);
  std::string frame = std::move(message).take();
  const size_t length = frame.size() - kHeader.size();
  for (size_t i = 0; i < kHeader.size(); ++i) frame[i] = static_cast<char>(length >> (8 * i));
  return frame;
}

Status status_from(std::string_view bytes) {
  uint64_t code = 0;
  std::string text;
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    if (field->number == 1) code = field->value;
    if (field->number == 2) text = field->bytes;
  }
  if (!reader.ok()) return Status(Code::data_loss, "cannot parse the agent's answer");
  const bool known = code <= static_cast<uint64_t>(Code::unauthenticated);
  return code == 0 ? Status() : Status(known ? static_cast<Code>(code) : Code::unknown, text);
}

bool read_store(Reply& reply, std::string_view bytes) {
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    if (field->number == 1) reply.status = status_from(field->bytes);
    if (field->number == 2) reply.value = field->bytes;
    if (field->number == 3) reply.values.emplace_back(field->bytes);
  }
  return reader.ok();
}

bool read_end(Reply& reply, std::string_view bytes) {
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    if (field->number == 1) reply.value = field->bytes;
    if (field->number == 2) reply.broken = field->value != 0;
    if (field->number == 3) reply.grace = Duration(static_cast<int64_t>(field->value));
  }
  return reader.ok();
}

bool read_variable(Reply& reply, std::string_view bytes) {
  std::string name;
  std::string value;
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    if (field->number == 1) name = field->bytes;
    if (field->number == 2) value = field->bytes;
  }
  reply.environment.emplace_back(std::move(name), std::move(value));
  return reader.ok();
}

bool read_place(Reply& reply, std::string_view bytes) {
  WireReader reader(bytes);
  bool ok = true;
  while (const auto field = reader.next()) {
    if (field->number == 1) reply.status = status_from(field->bytes);
    if (field->number == 2) ok &= read_variable(reply, field->bytes);
  }
  return ok && reader.ok();
}

}  // namespace

std::string store_frame(const Asker& asker, const StoreCall& call) {
  const size_t room = call.key.size() + call.value.size() + call.expected.size();
  return request(asker, 4, room, [&](WireWriter& body) {
    body.number(1, static_cast<uint32_t>(call.kind)).bytes(2, call.key).bytes(3, call.value).bytes(4, call.expected);
    body.zigzag(5, call.amount);
    if (call.ranks != nullptr) {
      for (const uint32_t rank : *call.ranks) body.repeated(6, rank);
    }
    body.number(7, static_cast<uint64_t>(call.timeout.count()));
  });
}

std::string progress_frame(const Asker& asker, const Progress& progress) {
  return request(asker, 5, 0, [&](WireWriter& body) {
    body.number(1, progress.step).number(2, progress.total);
    for (const auto& metric : progress.metrics)
      body.message(3, [&](WireWriter& pair) { pair.bytes(1, metric.first).real(2, metric.second); });
  });
}

std::string end_frame(const Asker& asker) {
  return request(asker, 6, 0, [](WireWriter&) {});
}
std::string rejoin_frame(const Asker& asker) {
  return request(asker, 7, 0, [](WireWriter&) {});
}

Result<Reply> read_reply(std::string_view frame) {
  Result<Reply> read((Reply()));
  Reply& reply = *read;
  WireReader reader(frame);
  bool ok = true;
  while (const auto field = reader.next()) {
    if (field->number > 3) continue;
    reply.kind = static_cast<Reply::Kind>(field->number);
    if (reply.kind == Reply::Kind::store) ok &= read_store(reply, field->bytes);
    if (reply.kind == Reply::Kind::end) ok &= read_end(reply, field->bytes);
    if (reply.kind == Reply::Kind::place) ok &= read_place(reply, field->bytes);
  }
  if (!ok || !reader.ok() || reply.kind == Reply::Kind::none)
    read = Status(Code::data_loss, "cannot parse the agent's answer; is the agent newer than this library?");
  return read;
}

}  // namespace muster::worker
