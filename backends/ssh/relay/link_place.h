// SPDX-License-Identifier: Apache-2.0
// The files of a link between an agent that ssh started and its relay. A link has a tag and three files in the runtime folder:
//
//   link-TAG.sock    the relay listens on it until the agent connects
//   link-TAG.lock    the agent and its guardian hold it locked (flock(2)) through their stdin, so the kernel knows whether one of
//                    them runs. It contains the guardian's pid and start time. When the guardian ends in order, it writes its exit
//                    code and removes the file.
//   link-TAG.relay   the relay in charge holds it locked (fcntl(2), whose F_GETLK names the holder)
//
// Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// "JOB-NODE-RANDOM".
struct LinkTag {
  JobId job;
  NodeIndex node = 0;
  std::string text;
};
std::optional<LinkTag> parse_link_tag(const std::string& text);

struct LinkPlace {
  LinkPlace(const std::string& folder, const std::string& tag) : stem(folder + "/link-" + tag) {}
  std::string socket() const { return stem + ".sock"; }
  std::string lock() const { return stem + ".lock"; }
  std::string relay() const { return stem + ".relay"; }
  void remove() const;
  const std::string stem;
};

// True if an agent of the same job and node runs with another tag. Processes of the node may then belong to that agent.
bool another_lives(const std::string& folder, const LinkTag& tag);

// The lock file of an agent.
class AgentLock {
 public:
  // Opens the file; `make` creates it if it does not exist. nullopt: no such file. If a cleaner of /tmp has removed the file of a
  // running agent, that file is found and opened all the same.
  static Result<std::optional<AgentLock>> open(const LinkPlace& place, bool make);

  // True if the agent or its guardian runs.
  bool held() const;
  // Takes the lock and returns a descriptor for the agent's stdin. The lock is released when the last process with this descriptor
  // ends. Invalid: another process holds the lock.
  UniqueFd take() const;
  // Reserves disk space for the guardian's text before the guardian starts.
  Status reserve() const;
  // The guardian's pid; 0: it has not written it yet, or has ended.
  pid_t guardian() const;
  // The guardian's exit code if it ended in order. No process of the node was left then.
  std::optional<int> end() const;

 private:
  AgentLock(UniqueFd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  std::string text() const;
  UniqueFd file_;
  std::string path_;
};

// Makes this process the relay in charge of a tag for the lifetime of the object. take() ends the previous relay.
class RelayCharge {
 public:
  static Result<RelayCharge> take(const LinkPlace& place);

 private:
  explicit RelayCharge(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// True if `socket` is the socket of such a link.
bool is_link(const std::string& socket);

// Called by a guardian when it starts and when it ends. They do nothing if `socket` is not of a link.
void enter_link_place(const std::string& socket);
void leave_link_place(const std::string& socket, int code);

// Updates the files' times, because cleaners of /tmp remove files that are days old. An agent calls it from time to time.
void refresh_link_place(const std::string& socket);

// Removes the files of agents that were killed together with their guardians. `young`: also those of the last minute, if the guardian had
// started; a relay that waits for such an agent then learns only that it is not there.
void remove_dead_links(const std::string& folder, bool young = false);

}  // namespace muster
