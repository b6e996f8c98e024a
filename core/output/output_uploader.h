// OutputUploader: what in an agent sends the output of its ranks to a coordinator that cannot read their files: one frame of each
// file in turn, an earlier attempt before a later one, and no further ahead of what was taken than the window.
//
// It reads when it is told that files grew and keeps no bytes: what is under way and lost is read again. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/port/output_files.h"
#include "core/port/output_messages.h"

namespace muster {

class OutputUploader {
 public:
  using Send = std::function<void(const OutputBytes& bytes)>;
  OutputUploader(OutputFiles& files, Send send) : files_(files), send_(std::move(send)) {}

  // A file of a rank, which may not be there yet.
  void add(const OutputFile& file, const std::string& path);
  // A new link: what nobody has said to have goes once more. Or none: nothing is sent.
  void connect(bool connected);
  // Those of `paths`, or, where there are none, any.
  void grew(const std::set<std::string>& paths = {});
  // logs.max took what lies before.
  void dropped(const OutputFile& file, uint64_t kept);
  // True: there was no room to send ahead, and now there is.
  bool taken(const OutputTaken& taken);
  // Sends as far as it may.
  void pump();

  // What the coordinator has not said to have.
  struct Left {
    uint64_t bytes = 0;
    Attempt oldest = 0;  // 0: none
  };
  Left left() const;
  uint64_t left_of(Attempt attempt, uint32_t index) const;
  // Of all that ever was: whether there is progress.
  uint64_t acknowledged() const { return acknowledged_; }
  // Ranks of attempts before this of whose output nothing is left are forgotten; a path of each.
  std::vector<std::string> forget_before(Attempt attempt);

 private:
  struct File {
    std::string path;
    uint64_t sent = 0;
    uint64_t taken = 0;
    uint64_t kept = 0;
    bool queued = false;
    // A new link may lead to somebody who has nothing: he is asked by a message without bytes, and answers.
    bool unsure = false;
    bool ask = false;  // that message is still to be sent
  };

  using Files = std::map<OutputFile, File>;

  void enqueue(const OutputFile& name, File& file);
  bool may_send() const;
  void send_some(const OutputFile& name, File& file);
  uint64_t left_in(const File& file) const;
  Files::iterator forget(Files::iterator file);

  OutputFiles& files_;
  const Send send_;
  bool connected_ = false;
  bool blocked_ = false;   // by the window
  bool cautious_ = false;  // what was sent could not be kept: one frame at a time, until one can
  uint64_t under_way_ = 0;
  uint64_t acknowledged_ = 0;
  Files all_;
  std::map<std::string, OutputFile> by_path_;
  std::map<Attempt, std::deque<OutputFile>> waiting_;  // may have more, in turn
};

}  // namespace muster
