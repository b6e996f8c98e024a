// SPDX-License-Identifier: Apache-2.0
// OrderCursor: tells in which order the bytes of a rank's stdout and stderr are to be shown, from the rank's order file
// (order_index.h). It only moves forward. If the file is missing, cut or wrong, the order is unknown from there on; bytes are never
// left out, because the caller shows them anyway. Loop thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/output/order_index.h"
#include "core/port/output_files.h"

namespace muster {

class OrderCursor {
 public:
  // `output_path`: of either stream.
  explicit OrderCursor(const std::string& output_path);

  struct Piece {
    OutputStream stream = OutputStream::out;
    uint64_t end = 0;  // offset after its last byte
    TimePoint time;    // zero: unknown
  };
  // What comes next if all bytes before `out` and `err` were shown; empty: that is not recorded (yet). `single`: the piece has bytes
  // of one record only, so that `time` holds for all of them. The bytes themselves may not be here yet.
  std::optional<Piece> next(OutputFiles& files, uint64_t out, uint64_t err, bool single);

  // Whether the rank's agent records the order.
  bool recorded(OutputFiles& files) const { return files.size(path_) >= kSizesBytes; }

  const std::string& path() const { return path_; }

 private:
  void find(OutputFiles& files, uint64_t out, uint64_t err);
  const OutputSizes* record(OutputFiles& files, uint64_t number);
  uint64_t extend(OutputFiles& files, OutputStream stream, uint64_t from, uint64_t end);

  const std::string path_;
  bool found_ = false;
  bool torn_ = false;    // the records before `number_` were dropped
  uint64_t number_ = 0;  // of the record that is being shown
  uint64_t block_number_ = 0;
  std::vector<OutputSizes> block_;
};

}  // namespace muster
