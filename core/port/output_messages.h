// How what ranks print comes from a node whose files the coordinator cannot read: their agent sends the bytes of each file in
// order, the coordinator writes them into files of its own and says how far it has come (docs/decisions/0019).
#pragma once

#include <cstdint>
#include <string>

#include "core/base/ids.h"
#include "core/port/output_files.h"

namespace muster {

constexpr size_t kOutputWindow = 1 << 20;  // of a node: bytes sent that nobody has said to have written
constexpr size_t kOutputFrame = 64 << 10;  // the most bytes of one message

struct OutputFile {
  Attempt attempt = 0;
  uint32_t index = 0;  // rank, into Plan::ranks
  OutputStream stream = OutputStream::out;
  auto operator<=>(const OutputFile&) const = default;
};

// Agent → coordinator, bulk.
struct OutputBytes {
  OutputFile file;
  uint64_t offset = 0;
  uint64_t kept = 0;  // what lies before was dropped by logs.max
  std::string bytes;
  bool operator==(const OutputBytes&) const = default;
};

// Coordinator → agent. Messages that were lost with their link are made up for by the next.
struct OutputTaken {
  OutputFile file;
  uint64_t size = 0;   // it has all before this, but for what was dropped
  bool again = false;  // what was sent from there on is lost: a full disk, or a disk that forgot
  bool operator==(const OutputTaken&) const = default;
};

}  // namespace muster
