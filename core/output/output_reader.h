// SPDX-License-Identifier: Apache-2.0
// OutputReader: reads the output of a job's ranks in chunks, for one viewer, from the position that the viewer requested. It takes
// one chunk of each rank in turn, so that a flooding rank does not starve the others. An earlier attempt that has ended comes
// before a later one. Stdout and stderr of a rank come in the order in which they were written (order_cursor.h), as far as it is known;
// else they take turns.
//
// For a viewer that reads the files itself it returns spans instead of chunks, in the same order, and reads only what is needed to
// find their start.
//
// It reads only in next() and buffers nothing. Its owner calls changed() when files grow, and end() when ranks of an attempt have
// ended. Loop thread only.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/output/order_cursor.h"
#include "core/output/tail_scan.h"
#include "core/port/control_messages.h"
#include "core/port/output_files.h"

namespace muster {

// The start in a file, by default its first byte. Of `since` and `tail_lines` the later position counts; `offset` overrides both.
struct OutputStart {
  std::optional<uint64_t> offset;
  std::optional<uint64_t> tail_lines;  // within the last 64 MiB
  std::optional<TimePoint> since;      // at most 1 s earlier, at the start of a line
};

// The start in one file that a request asks for: `resume` if it is set, else tail_lines and since. Only for attempts that existed
// when the request came; later ones are shown from their start.
OutputStart start_of(const FollowRequest& request, Attempt attempt, uint32_t index, OutputStream stream);

struct OutputSource {
  Attempt attempt = 0;
  uint32_t index = 0;  // rank
  OutputStream stream = OutputStream::out;
  std::string path;  // OutputFiles::path
  OutputStart start;
};

// One step of the reader.
struct OutputRead {
  enum class Kind {
    chunk,    // `chunk`, at most 64 KiB; logs.max dropped `dropped` bytes before it
    span,     // `span`, at most 1 MiB, likewise
    working,  // nothing yet, call next() again: a step of a search
    drained,  // nothing until changed() or end()
  };
  Kind kind = Kind::drained;
  OutputChunk chunk;
  OutputSpan span;
  uint64_t dropped = 0;

  const OutputPosition& position() const { return kind == Kind::span ? span.position : chunk.position; }
};

class OutputReader {
 public:
  // `times`: each chunk or span has bytes that arrived together, and says when.
  explicit OutputReader(OutputFiles& files, bool in_place = false, bool times = false)
      : files_(files),
        in_place_(in_place),
        times_(times) {}

  void add(const OutputSource& source);
  // Files of the attempt grew: those of `paths`, or any if `paths` is empty.
  void changed(Attempt attempt, const std::vector<std::string>& paths = {});
  // These ranks write no more in that attempt. Their files are removed once they have been read completely.
  void end(Attempt attempt, const std::vector<uint32_t>& ranks);

  // Reads at most one block of a search and one chunk.
  OutputRead next();

  // Whether bytes are here whose order the agent has not recorded yet.
  bool waits_for_order() const { return !waiting_.empty(); }
  // Call it regularly while waits_for_order(). Bytes that were waited for from one call to the next are shown without a known order.
  void lose_patience();

  // True if every added source has ended and was read completely.
  bool finished() const { return lanes_.empty(); }

 private:
  struct Source {
    OutputSource what;
    std::optional<TailScan> scan;  // while its start is searched
    uint64_t offset = 0;
    uint64_t dropped = 0;  // not reported yet
    bool started = false;
    bool told = false;  // its start was reported
  };
  // The streams of a rank, which are shown in the order of its order file, or the output of a setup.
  struct Lane {
    std::map<OutputStream, Source> sources;
    std::optional<OrderCursor> order;
    bool queued = false;
    bool ended = false;
    bool unordered = false;            // the order of its newest bytes is not waited for
    std::optional<uint64_t> waits_at;  // the offsets' sum when lose_patience() saw it waiting
    OutputStream latest = OutputStream::err;
  };
  using Key = std::tuple<Attempt, uint32_t, bool>;  // false: of a setup, which is before its rank
  // The bytes to show next: those of `source` before `end`.
  struct Next {
    Source* source = nullptr;
    uint64_t end = 0;
    TimePoint time;
  };

  void enqueue(const Key& key, Lane& lane);
  std::optional<Key> pop();
  bool begin(Source& source);
  void choose_start(Source& source);
  std::optional<Next> choose(const Key& key, Lane& lane);
  std::optional<Next> choose_in_order(Lane& lane, uint64_t out, uint64_t err);
  void date(Next& next);
  Next choose_unordered(Lane& lane, uint64_t out, uint64_t err);
  uint64_t whole_line(const Source& source, uint64_t kept);
  bool skip_dropped(Source& source);
  Result<std::string> read_kept(Source& source, uint64_t end);
  OutputRead read(const Next& next);
  OutputRead point(const Next& next);
  OutputRead rest(const Key& key, Lane& lane);

  OutputFiles& files_;
  const bool in_place_;
  const bool times_;
  std::map<Key, Lane> lanes_;
  std::map<std::string_view, Key> by_path_;  // the paths are owned by lanes_
  std::set<Key> waiting_;                    // lanes with bytes whose order is not known yet
  // Lanes that may have more to read, in turn; by attempt if it has ended, else under kLive.
  std::map<Attempt, std::deque<Key>> turns_;
};

}  // namespace muster
