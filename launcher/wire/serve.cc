// `muster serve`: the user's controller. Commands start it when it is not there; it leaves when idle.

#include <algorithm>
#include <csignal>
#include <iostream>

#include "core/adapter/linux/process_limits.h"
#include "core/adapter/store/state_lock.h"
#include "core/base/text.h"
#include "launcher/wire/hosting.h"
#include "launcher/wire/paths.h"
#include "launcher/wire/wire.h"

namespace muster {
namespace {

struct IdleTimes {
  Duration without_work = std::chrono::minutes(1);
  Duration with_warm_agents = std::chrono::minutes(10);
};

// MUSTER_IDLE: how long to stay without work; "0" stays for ever.
Result<IdleTimes> idle_of(const Surroundings& surroundings) {
  const std::optional<std::string> given = surroundings.variable("MUSTER_IDLE");
  if (!given) return IdleTimes{};
  const Result<Duration> idle = parse_duration(*given);
  return idle.ok() ? Result<IdleTimes>(IdleTimes{*idle, *idle}) : idle.status().with_context("MUSTER_IDLE");
}

// "0": without a limit.
template <typename Value>
Status read_limit(const Surroundings& surroundings, const char* name, Result<Value> (*parse)(std::string_view),
                  std::optional<Value>& limit) {
  const std::optional<std::string> given = surroundings.variable(name);
  if (!given) return Status();
  const Result<Value> value = parse(*given);
  if (!value.ok()) return value.status().with_context(name);
  limit = *value == Value(0) ? std::nullopt : std::optional<Value>(*value);
  return Status();
}

// MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE: which ended jobs are kept.
Result<Retention> retention_of(const Surroundings& surroundings) {
  Retention retention;
  Status status = read_limit(surroundings, "MUSTER_KEEP_AGE", parse_duration, retention.age);
  if (status.ok()) status = read_limit(surroundings, "MUSTER_KEEP_SIZE", parse_size, retention.bytes);
  if (retention.age) retention.at_least = std::min(retention.at_least, *retention.age);
  return status.ok() ? Result<Retention>(retention) : status;
}

int refuse(const Status& status) {
  std::cerr << "error: " << status.message() << "\n";
  return status.code() == Code::failed_precondition ? 6 : 2;
}

}  // namespace

int serve_main(const Surroundings& surroundings) {
  const Result<IdleTimes> idle = idle_of(surroundings);
  if (!idle.ok()) return refuse(idle.status());
  const Result<Retention> retention = retention_of(surroundings);
  if (!retention.ok()) return refuse(retention.status());
  const Result<WirePaths> paths = wire_paths(surroundings);
  if (!paths.ok()) return refuse(paths.status());
  Result<StateLock> lock = StateLock::take(paths->state);
  if (!lock.ok()) return refuse(lock.status());
  std::signal(SIGHUP, SIG_IGN);
  use_all_cpus();
  remove_stale_sockets(paths->runtime);
  AsioLoop loop;
  HostingChoice choice{paths->state, paths->socket, false, idle->without_work, idle->with_warm_agents};
  choice.retention = *retention;
  Result<std::unique_ptr<Hosting>> hosting = Hosting::open(surroundings, loop, choice, [&loop] { loop.stop(); });
  if (!hosting.ok()) return refuse(hosting.status());
  // Jobs go on without us: their agents wait for the next controller.
  for (const int number : {SIGTERM, SIGINT}) loop.on_signal(number, [&loop] { loop.stop(); });
  loop.run();
  hosting = Status(Code::cancelled, "left");
  remove_stale_sockets(paths->runtime);
  return 0;
}

}  // namespace muster
