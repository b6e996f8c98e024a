// SPDX-License-Identifier: Apache-2.0
// OrderIndex: records in which order the bytes of a rank's stdout and stderr were written, and when (docs/design/output.md). The
// file `<rank_file>.order` beside `<rank_file>.out` and `.err` has records like those of time_index.h. From one record to the next one
// stream grows. The first record has sizes of 0, so that a reader knows that there is an order to wait for.
//
// The file is bounded: its oldest records are dropped (a hole). Functions without state; loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/output/time_index.h"
#include "core/port/output_keeper.h"

namespace muster {

// Beyond this size the oldest records are dropped, so that 7/8 of it are left.
constexpr uint64_t kMostOrderBytes = 16 * 1024 * 1024;

// The order file for a path that ends in .out or .err.
std::string order_path(const std::string& output_path);

// Bounds an order file of `size` bytes that begins at `kept`. Returns where it begins now. unimplemented: the file system cannot
// drop bytes.
Result<uint64_t> bound_order(OutputKeeper& keeper, const std::string& order, uint64_t size, uint64_t kept);

// A stream's new bytes, and how often it was written to in each of its turns.
struct TurnedBytes {
  std::string_view bytes;
  bool begins_line = true;  // the byte before them ends a line
  std::vector<uint32_t> writes;
};

// Where each turn ends, in bytes. How much a write has is not known, so turns end with lines, and all lines of a stream are taken to
// have equally many writes. If there is a number that fits all turns, it is used. Else the last turn is taken to differ, as a
// traceback after warnings does: the number is the largest that fits the others.
std::vector<uint64_t> turn_ends(const TurnedBytes& turned);

}  // namespace muster
