// Where a host keeps the link of an agent that ssh started, by the agent's tag: three files in the runtime folder.
//
//   link-TAG.sock    the agent dials it; a relay listens there while it has no connection
//   link-TAG.lock    the agent and its guardian hold it (flock(2)) by their stdin, so the kernel tells whether one lives. Says who
//                    the guardian is, and once that has ended in order, how: then it is removed, too
//   link-TAG.relay   the relay in charge holds it (fcntl(2), whose F_GETLK names the holder)
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

// Whether an agent lives of the same job and node by another tag: what runs there may be its own.
bool another_lives(const std::string& folder, const LinkTag& tag);

// Of an agent: its lock's file.
class AgentLock {
 public:
  // `make`: a new one, unless an agent lives. Nothing: there is none. A cleaner of /tmp may have removed the file of an agent that
  // lives: that is found all the same.
  static Result<std::optional<AgentLock>> open(const LinkPlace& place, bool make);

  // Whether an agent or its guardian lives.
  bool held() const;
  // What the agent is to have as its stdin: holds the lock, and lets go of it with the last process that has it. Invalid: it is held.
  UniqueFd take() const;
  // The room for what the guardian will say, before it begins.
  Status reserve() const;
  // Who watches over it, once that has said so; 0: it has not, or has ended.
  pid_t guardian() const;
  // The code with which the guardian ended, once it did so in order: nothing of the node was left then.
  std::optional<int> end() const;

 private:
  AgentLock(UniqueFd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  std::string text() const;
  UniqueFd file_;
  std::string path_;
};

// The relay in charge of a tag, until the object goes. Whoever had it before is ended.
class RelayCharge {
 public:
  static Result<RelayCharge> take(const LinkPlace& place);

 private:
  explicit RelayCharge(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// Whether the agent that dials it has such a link.
bool is_link(const std::string& socket);

// What guardians of agents with a link do at their beginning and at their end; nothing where `socket` is no link's.
void enter_link_place(const std::string& socket);
void leave_link_place(const std::string& socket, int code);

// Cleaners of /tmp remove what nobody has touched for days: an agent does so now and then.
void refresh_link_place(const std::string& socket);

// Removes what agents left here that were killed together with their guardians.
void remove_dead_links(const std::string& folder);

}  // namespace muster
