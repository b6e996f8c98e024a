// SPDX-License-Identifier: Apache-2.0
// OutputPrinter: prints the output of ranks. With several ranks it prints whole lines with the prefix `[rank]`; the bytes
// of a single rank are printed unchanged. A rank's stdout goes to our stdout, its stderr to our stderr, or both to our
// stdout. The order within one rank is kept. Loop thread only.
//
// On a terminal, a line that a rank has begun and not ended (a prompt, a progress bar) is shown as the last line of the
// screen and redrawn when it changes. Otherwise it is printed when it is complete.
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
  bool prefix = true;  // false: no prefix; lines of several ranks are still printed whole
  bool out = true;
  bool err = true;
  bool all_to_stdout = false;        // stderr of ranks and the output of setup too
  bool times = false;                // each line begins with its time (OutputChunk::time), `-` if that is unknown
  std::optional<uint32_t> raw_rank;  // the bytes of this rank are printed unchanged (--tty)
  bool marks = false;                // the prefix also has attempt and stream (stream_mark), even with a single rank
  // Returns the prefix for a rank's stream instead of `[rank] `; nullopt: the stream is not shown. Unset: `[rank] `.
  std::function<std::optional<std::string>(uint32_t index, OutputStream stream)> label;
};

class OutputPrinter {
 public:
  OutputPrinter(Screen& screen, Style out_style, Style err_style, OutputChoice choice);

  // Sets the ranks whose output is shown. Call it before the first chunk; it may be called again.
  void set_ranks(const std::vector<RankView>& ranks);

  void print(const OutputChunk& chunk);

  // Prints lines that are not complete.
  void flush();

  // Call it before the message that the ranks are restarted: prints lines that are not complete. After it, progress bars of the attempts
  // shown so far are not drawn any more; their complete lines still are. Without effect if groups restart independently.
  void end_attempts();

  // Call it before a message of muster itself: moves the cursor to the beginning of a line and resets the terminal's
  // colours and character set.
  void make_room();

  // Sets the status line of a terminal: one line below all others, redrawn after each of them. Empty: none. It is not
  // drawn while a rank's line is incomplete.
  void set_foot(const std::string& line);
  // Call it after a message of muster itself.
  void draw_foot();

  // Call it when the terminal has echoed `^C` at the cursor.
  void echoed();

 private:
  using Stream = std::tuple<Attempt, uint32_t, OutputStream>;
  bool shown(uint32_t index, OutputStream stream) const;
  bool raw(uint32_t index, OutputStream stream) const;
  bool is_only_rank(uint32_t index) const;
  // Whether it goes to our stdout.
  bool to_stdout(OutputStream stream) const { return stream == OutputStream::out || choice_.all_to_stdout; }
  const Style& style_of(OutputStream stream) const { return to_stdout(stream) ? out_style_ : err_style_; }
  void print_raw(const OutputChunk& chunk);
  void write(OutputStream stream, std::string_view text);
  void write_lines(const Stream& stream, const std::vector<std::string>& lines);
  void write_text(OutputStream stream);
  void flush_before(Attempt attempt, const std::string& group);
  void finish_line(const Stream& stream, LineAssembler& line);
  void show_unfinished(const Stream& stream);
  std::string prefix_of(const Stream& stream, const Style& style) const;
  std::string label_of(const Stream& stream, const Style& style) const;

  Screen& screen_;
  const Style out_style_;
  const Style err_style_;
  const OutputChoice choice_;
  std::map<uint32_t, std::string> labels_;        // "[3] ", by plan index
  std::map<uint32_t, std::string> setup_labels_;  // "[setup@a1] ", by plan index
  std::map<Stream, LineAssembler> assemblers_;
  std::map<Stream, uint64_t> reached_;      // next expected offset
  std::map<Stream, TimePoint> times_;       // of the newest bytes
  std::map<uint32_t, std::string> groups_;  // by plan index
  std::map<std::string, Attempt> newest_;   // by group: groups may restart independently
  Attempt ended_ = 0;                       // the newest attempt at end_attempts()
  bool open_line_ = false;                  // raw bytes ended inside a line
  bool unfinished_ = false;                 // an incomplete line or the status line is drawn, or `^C` was echoed
  std::string text_;                        // text for write_text(); the buffer is reused
  std::string foot_;                        // the status line
  bool foot_drawn_ = false;                 // the status line is drawn; implies unfinished_
  bool styled_ = false;                     // raw bytes may have changed the terminal's colour or character set
};

// "[3]" for "rank 3", "[trainer 0]" for "trainer 0".
std::string rank_label(const std::string& rank_name);

// "", " err", " #2", " #3 setup": the attempt if it is not the first, and the stream if it is not stdout. It follows the
// rank's name in the label: "[3 #2 err]".
std::string stream_mark(Attempt attempt, OutputStream stream);

// `text` without colours (SGR sequences).
std::string without_colours(std::string_view text);

}  // namespace muster
