// WholeLines: several ranks' bytes into one file or pipe, unchanged but for where they are cut: at ends of lines, so that no
// line is torn by another rank's. A line whose rank falls silent in its midst (a prompt, a progress bar) comes out as far as
// it is; whoever writes next begins a new one. Pure; one owner.
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

  // `one_place`: stdout and stderr end in the same file.
  explicit WholeLines(bool one_place) : one_place_(one_place) {}

  // What may be written now that these bytes came.
  std::vector<Piece> add(uint32_t rank, OutputStream stream, std::string_view bytes);

  // What was held back: its rank is silent, or gone.
  std::vector<Piece> release();

  // Something else is written to stderr next: the end of a line that was let out unfinished.
  std::vector<Piece> make_room();

  bool holding() const { return !held_.empty(); }

  static constexpr size_t longest_held = 64 * 1024;

 private:
  using Source = std::pair<uint32_t, OutputStream>;
  void write(const Source& source, std::string bytes, std::vector<Piece>& pieces);
  bool same_place(OutputStream one, OutputStream other) const { return one_place_ || one == other; }

  const bool one_place_;
  std::map<Source, std::string> held_;   // begun lines; none is empty
  std::map<OutputStream, Source> open_;  // whose line is out and not ended, by where
};

}  // namespace muster
