// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_helper.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <optional>

#include "core/base/unix_socket.h"
#include "core/node/pmix/pmix_message.h"
#include "core/node/pmix/pmix_world.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

// The connection to the agent. send() may be called on any thread; receive() only on the main thread.
class AgentConnection {
 public:
  explicit AgentConnection(int fd) : fd_(fd) {}

  // The agent has these bytes before the call returns, so that it knows of a rank's calls before the rank can end.
  void send(const PmixFields& message) {
    const std::string bytes = pmix_message(message);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return;  // the agent has gone; receive() notices it too
      at += static_cast<size_t>(sent);
    }
  }

  // nullopt: the agent has closed the connection.
  std::optional<PmixFields> receive() {
    while (true) {
      if (auto message = take_pmix_message(received_)) return message;
      char bytes[1 << 16];
      const ssize_t size = recv(fd_, bytes, sizeof bytes, 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return std::nullopt;
      received_.append(bytes, static_cast<size_t>(size));
    }
  }

 private:
  const int fd_;
  std::string received_;
  std::mutex mutex_;  // mutex: keeps messages of several threads apart
};

std::optional<PmixWorldTask> task_in(const PmixFields& message) {
  if (message.size() != 8 || message[0] != "start") return std::nullopt;
  PmixWorldTask task;
  task.name_space = message[1];
  task.folder = message[2];
  task.node = static_cast<uint32_t>(std::strtoul(message[3].c_str(), nullptr, 10));
  task.names = pmix_items(message[5]);
  for (const std::string& ranks : pmix_items(message[6])) task.ranks.push_back(numbers_in(ranks));
  for (const std::string& apps : pmix_items(message[7])) task.apps.push_back(numbers_in(apps));
  const bool whole = task.node < task.names.size() && task.names.size() == task.ranks.size();
  return whole ? std::optional(std::move(task)) : std::nullopt;
}

// The world, once its ranks may start; null: the agent was told why not.
std::unique_ptr<PmixWorld> start_world(AgentConnection& agent, const PmixFields& message) {
  const auto fail = [&](const std::string& why) {
    agent.send({"failed", why});
    return nullptr;
  };
  std::optional<PmixWorldTask> task = task_in(message);
  if (!task) return fail("the helper does not understand its task");
  const Result<PmixLibrary> library = PmixLibrary::load(pmix_items(message[4]));
  if (!library.ok()) return fail("no libpmix can be loaded (" + library.status().message() + ")");
  auto world = PmixWorld::start(*library, std::move(*task), [&agent](const PmixFields& sent) { agent.send(sent); });
  if (!world.ok()) return fail(world.status().message());
  const auto environments = (*world)->environments();
  if (!environments.ok()) return fail(environments.status().message());
  PmixFields ready{"ready", library->version + " (" + library->file + ")"};
  for (const PmixFields& variables : *environments) ready.push_back(pmix_list(variables));
  agent.send(ready);
  return std::move(*world);
}

}  // namespace

int pmix_helper(const std::string& socket) {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid() || connect_unix(fd.get(), socket) != 0) {
    std::cerr << "cannot connect to the agent at " << socket << ": " << std::strerror(errno) << "\n";
    return 1;
  }
  static AgentConnection agent(fd.get());  // threads of libpmix may use it until the process has ended
  const std::optional<PmixFields> task = agent.receive();
  if (!task) return 1;
  std::unique_ptr<PmixWorld> world = start_world(agent, *task);
  while (const auto message = agent.receive()) {
    if (world && message->size() >= 3 && (*message)[0] == "answer")
      world->answered(std::strtoull((*message)[1].c_str(), nullptr, 10), (*message)[2],
                      {message->begin() + 3, message->end()});
  }
  _exit(0);  // libpmix has threads; it is not finalized, because its clients may still be connected
}

}  // namespace muster
