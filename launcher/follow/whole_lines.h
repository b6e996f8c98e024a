// SPDX-License-Identifier: Apache-2.0
// WholeLines: merges the output of several ranks into one file or pipe without mixing lines. Bytes are unchanged and are written only up to
// the end of a line. An unfinished line (a prompt, a progress bar) is written when release() is called; if another rank writes next, it
// begins a new line. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/port/output_files.h"

namespace muster {

class WholeLines {
 public:
  struct Piece {
    OutputStream stream = OutputStream::out;
    std::string bytes;
    bool operator==(const Piece&) const = default;
  };

  // `one_place`: stdout and stderr are the same file.
  explicit WholeLines(bool one_place) : one_place_(one_place) {}

  // Adds bytes; returns what can be written now.
  std::vector<Piece> add(uint32_t rank, OutputStream stream, std::string_view bytes);

  // Returns all unfinished lines, because their rank is silent or has ended.
  std::vector<Piece> release();

  // Call before writing anything else to stderr: returns the newline for an unfinished line that was written.
  std::vector<Piece> make_room();

  bool holding() const { return !held_.empty(); }

  static constexpr size_t longest_held = 64 * 1024;

 private:
  using Source = std::pair<uint32_t, OutputStream>;
  void write(const Source& source, std::string bytes, std::vector<Piece>& pieces);
  bool same_place(OutputStream one, OutputStream other) const { return one_place_ || one == other; }

  const bool one_place_;
  std::map<Source, std::string> held_;   // unfinished lines, never empty
  std::map<OutputStream, Source> open_;  // by output: the source of an unfinished line that was written
};

}  // namespace muster
