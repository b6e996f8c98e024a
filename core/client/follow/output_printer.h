// OutputPrinter: the bytes of ranks, as whole lines with `[rank]` in front when there is more than one rank, as they
// are when there is one. Stdout of a rank goes to our stdout, stderr to our stderr; nothing is reordered within
// a rank. Loop thread only.
//
// On a terminal the line that a rank has begun and not ended (a prompt, a progress bar) is the last one on the
// screen, drawn anew as it changes; elsewhere it waits for its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/client/screen.h"
#include "core/client/view/line_assembler.h"
#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

struct OutputChoice {
  bool prefix = true;  // false: never one; lines of several ranks stay whole all the same
  bool out = true;
  bool err = true;
  std::optional<uint32_t> raw_rank;  // this one's bytes are never touched (--tty)
  bool marks = false;                // the prefix tells attempt and stream too, also of one rank alone (stream_mark)
  // What stands before a line of this rank's stream instead of `[rank] `; absent: the stream is not shown. Unset: all alike.
  std::function<std::optional<std::string>(uint32_t index, OutputStream stream)> label;
};

class OutputPrinter {
 public:
  OutputPrinter(Screen& screen, Style out_style, Style err_style, OutputChoice choice);

  // The ranks whose output is shown; known before the first chunk, may be told again.
  void set_ranks(const std::vector<RankView>& ranks);

  void print(const OutputChunk& chunk);

  // Shows what waits for its end of line.
  void flush();

  // Before muster's own words: the cursor is at the begin of a line, and a terminal writes plain letters again.
  void make_room();

  // The foot of a terminal: one line below all others, drawn anew as they come; empty: none. Never where a rank's own
  // line is begun.
  void set_foot(const std::string& line);
  // After other words.
  void draw_foot();

  // The terminal wrote `^C` where the cursor is.
  void echoed();

 private:
  using Stream = std::tuple<Attempt, uint32_t, OutputStream>;
  bool shown(uint32_t index, OutputStream stream) const;
  bool raw(uint32_t index, OutputStream stream) const;
  void print_raw(const OutputChunk& chunk);
  void write(OutputStream stream, std::string_view text);
  void write_lines(const Stream& stream, const std::vector<std::string>& lines);
  void write_text(OutputStream stream);
  void flush_before(Attempt attempt, const std::string& group);
  void show_unfinished(const Stream& stream);
  std::string prefix_of(const Stream& stream, const Style& style) const;

  Screen& screen_;
  const Style out_style_;
  const Style err_style_;
  const OutputChoice choice_;
  std::map<uint32_t, std::string> labels_;        // "[3] ", by plan index
  std::map<uint32_t, std::string> setup_labels_;  // of its node
  std::map<Stream, LineAssembler> assemblers_;
  std::map<Stream, uint64_t> reached_;      // the next offset, of those
  std::map<uint32_t, std::string> groups_;  // likewise
  std::map<std::string, Attempt> newest_;   // by group: one may go on while another begins anew
  bool open_line_ = false;                  // raw bytes ended in the midst of a line
  bool unfinished_ = false;                 // one is drawn, or `^C` was echoed
  std::string text_;                        // what write_text() writes; its buffer is used again
  std::string foot_;
  bool foot_drawn_ = false;  // then it is the unfinished line
  bool styled_ = false;      // raw bytes may have left a terminal in another colour or alphabet
};

// "[3]" for "rank 3", "[trainer 0]" for what is named otherwise.
std::string rank_label(const std::string& rank_name);

// "", " err", " #2", " #3 setup": the attempt, where it is not the first, and the stream, where it is not stdout. Stands behind a rank's
// name in its label: "[3 #2 err]".
std::string stream_mark(Attempt attempt, OutputStream stream);

// `text` without colours (SGR sequences), for where it is cut.
std::string without_colours(std::string_view text);

}  // namespace muster
