// OutputReader: what the ranks of a job printed, as chunks, for one viewer: from where it wants to begin, one
// chunk of each rank in turn, so that a flooding rank starves none; an earlier attempt, once it has ended, before a later one.
//
// For a viewer that reads the files itself it gives spans in place of chunks, in the same order, and reads only what it
// needs to find where they begin.
//
// It reads when asked and keeps no bytes. It does not know when files grow: the owner says `changed`, and `end`
// when ranks of an attempt print no more. Loop thread only.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/output/tail_scan.h"
#include "core/port/control_messages.h"
#include "core/port/output_files.h"

namespace muster {

// Where to begin in a file. Nothing set: at its start. The latest of `since` and `tail_lines` counts; `offset`
// overrides.
struct OutputStart {
  std::optional<uint64_t> offset;
  std::optional<uint64_t> tail_lines;  // looks at most 64 MiB back
  std::optional<TimePoint> since;      // to the second before, from the start of a line
};

// What a request says of one file: `resume` where it has one, else tail_lines and since. Only for attempts that
// were there when the request came; later ones are shown from their start.
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
    chunk,    // `chunk`, at most 64 KiB; `dropped` bytes before it were given up by logs.max
    span,     // `span`, at most 1 MiB, likewise
    working,  // nothing yet, ask again: a step of a search
    drained,  // nothing until `changed` or `end`
  };
  Kind kind = Kind::drained;
  OutputChunk chunk;
  OutputSpan span;
  uint64_t dropped = 0;

  const OutputPosition& position() const { return kind == Kind::span ? span.position : chunk.position; }
};

class OutputReader {
 public:
  explicit OutputReader(OutputFiles& files, bool in_place = false) : files_(files), in_place_(in_place) {}

  void add(const OutputSource& source);
  // Files of the attempt grew: those of `paths`, or, where there are none, any.
  void changed(Attempt attempt, const std::set<std::string>& paths = {});
  // Nothing more will be written to those ranks' files of the attempt; they are forgotten once they are read out.
  void end(Attempt attempt, const std::vector<uint32_t>& ranks);

  // Reads at most one block of a search and one chunk.
  OutputRead next();

  // Every source that was added has ended and was read out.
  bool finished() const { return sources_.empty(); }

 private:
  struct Source {
    OutputSource what;
    std::optional<TailScan> scan;  // while it looks for its start
    uint64_t offset = 0;
    uint64_t dropped = 0;  // not told yet
    bool started = false;
    bool told = false;  // where it begins
    bool queued = false;
    bool ended = false;
  };
  using Key = std::tuple<Attempt, uint32_t, OutputStream>;

  void enqueue(const Key& key, Source& source);
  std::optional<Key> pop();
  bool begin(Source& source);
  void choose_start(Source& source);
  uint64_t whole_line(const Source& source, uint64_t kept);
  bool skip_dropped(Source& source);
  Result<std::string> read_kept(Source& source);
  OutputRead read(const Key& key, Source& source);
  OutputRead point(const Key& key, Source& source);
  void rest(const Key& key, Source& source, uint64_t size);

  OutputFiles& files_;
  const bool in_place_;
  std::map<Key, Source> sources_;
  std::map<std::string_view, Key> by_path_;  // the paths lie in sources_
  std::map<Attempt, std::deque<Key>>
      waiting_;  // may have more to read, in turn; by the attempt that has ended, or kLive
};

}  // namespace muster
