// SPDX-License-Identifier: Apache-2.0
// Requests of torch clients, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/node/torch_store/protocol.h"

namespace muster::tcpstore {

inline std::string code(uint8_t opcode) { return std::string(1, static_cast<char>(opcode)); }
inline std::string number(uint64_t value) {
  std::string out;
  put<uint64_t>(out, value);
  return out;
}
inline std::string text(std::string_view bytes) { return number(bytes.size()) + std::string(bytes); }
inline std::string old_set(std::string_view key, std::string_view value) { return code(0) + text(key) + text(value); }

// A request in the current dialect.
inline std::string keys(uint8_t opcode, const std::vector<std::string>& list) {
  std::string out = code(opcode) + number(list.size());
  for (const std::string& key : list) out += text(key);
  return out;
}
inline std::string set(std::string_view key, std::string_view value) { return code(1) + text(key) + text(value); }
inline std::string compare_set(std::string_view key, std::string_view expected, std::string_view value) {
  return code(2) + text(key) + text(expected) + text(value);
}
inline std::string get(std::string_view key) { return code(3) + text(key); }
inline std::string add(std::string_view key, int64_t by) {
  return code(4) + text(key) + number(static_cast<uint64_t>(by));
}
inline std::string check(const std::vector<std::string>& list) { return keys(5, list); }
inline std::string wait(const std::vector<std::string>& list) { return keys(6, list); }
inline std::string num_keys() { return code(7); }
inline std::string delete_key(std::string_view key) { return code(8) + text(key); }
inline std::string append(std::string_view key, std::string_view value) { return code(9) + text(key) + text(value); }
inline std::string multi_get(const std::vector<std::string>& list) { return keys(10, list); }
inline std::string cancel_wait() { return code(12); }
inline std::string queue_push(std::string_view key, std::string_view value) {
  return code(14) + text(key) + text(value);
}
inline std::string queue_pop(std::string_view key) { return code(15) + text(key); }
inline std::string queue_length(std::string_view key) { return code(16) + text(key); }
inline std::string list_keys() { return code(17); }
inline std::string barrier(std::string_view key, uint64_t world) { return code(18) + text(key) + number(world); }

inline const std::string kGo(1, '\0');         // a wait has ended; the keys exist
inline const std::string kCancelled = "\x01";  // a wait was cancelled; keys are missing

}  // namespace muster::tcpstore
