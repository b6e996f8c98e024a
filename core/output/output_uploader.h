// SPDX-License-Identifier: Apache-2.0
// OutputUploader: sends the output of an agent's ranks to a coordinator that cannot read their files. It sends one frame of each file
// in turn, and an earlier attempt before a later one. Unacknowledged bytes never exceed the window.
//
// It reads files when they grow and buffers nothing: bytes that were lost in flight are read again. Loop thread only.
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

  // Adds a file of a rank; it may not exist yet.
  void add(const OutputFile& file, const std::string& path);
  // true: there is a new link; unacknowledged bytes are sent again. false: there is no link; nothing is sent.
  void connect(bool connected);
  // The files of `paths` grew, or any file if `paths` is empty.
  void grew(const std::vector<std::string>& paths = {});
  // logs.max dropped the bytes before `kept`.
  void dropped(const OutputFile& file, uint64_t kept);
  // Takes an acknowledgement. True: more can be sent now; call pump().
  bool taken(const OutputTaken& taken);
  // Sends as much as the window allows.
  void pump();

  // Bytes that the coordinator has not acknowledged.
  struct Left {
    uint64_t bytes = 0;
    Attempt oldest = 0;  // 0: none
  };
  Left left() const;
  uint64_t left_of(Attempt attempt, uint32_t index) const;
  // Total of acknowledged bytes; it increases while there is progress.
  uint64_t acknowledged() const { return acknowledged_; }
  // Removes the ranks of earlier attempts whose output was uploaded completely. Returns one path of each.
  std::vector<std::string> forget_before(Attempt attempt);

 private:
  struct File {
    std::string path;
    uint64_t sent = 0;
    uint64_t taken = 0;
    uint64_t kept = 0;
    bool queued = false;
    // The receiver of a new link may have nothing: a message without bytes makes it answer with its size.
    bool unsure = false;
    bool ask = false;  // that message must still be sent
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
  bool cautious_ = false;  // the coordinator could not write: send one frame at a time until it can
  uint64_t under_way_ = 0;
  uint64_t acknowledged_ = 0;
  Files all_;
  std::map<std::string, OutputFile> by_path_;
  std::map<Attempt, std::deque<OutputFile>> waiting_;  // files that may have more, in turn
};

}  // namespace muster
