// SPDX-License-Identifier: Apache-2.0
// Sampler: makes random values of every message, for round-trip tests. Structured bindings name every member, so the code does
// not compile until a new member is listed here. Tests only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/port/agent_messages.h"
#include "core/port/control_messages.h"
#include "core/port/worker_messages.h"

namespace muster {

class Sampler {
 public:
  // `raw`: strings are any bytes; otherwise they are UTF-8.
  Sampler(uint64_t seed, bool raw) : random_(seed), raw_(raw) {}

  template <typename T>
  T make() {
    T value;
    fill(value);
    return value;
  }

 private:
  template <typename... Members>
  void all(Members&... members) {
    (fill(members), ...);
  }

  void fill(bool& value) { value = random_.below(2) == 1; }
  void fill(int& value) { value = static_cast<int>(random_.next()); }
  void fill(uint16_t& value) { value = static_cast<uint16_t>(random_.next()); }
  void fill(uint32_t& value) { value = static_cast<uint32_t>(random_.next()); }
  void fill(uint64_t& value) { value = random_.next(); }
  void fill(int64_t& value) { value = static_cast<int64_t>(random_.next()); }
  void fill(Duration& value) { value = Duration(make<int64_t>()); }
  void fill(TimePoint& value) { value = from_unix_nanos(make<int64_t>()); }
  void fill(JobId& value) { value = random_.below(8) == 0 ? JobId() : JobId::make(random_); }

  void fill(std::string& value) {
    static const char* const kPieces[] = {"a", "é", "漢", "😀", "\n", "\t", "=", "\"", "%", " "};
    for (uint64_t left = random_.below(12); left > 0; --left) value += kPieces[random_.below(std::size(kPieces))];
    if (random_.below(4) == 0) value += '\0';
    for (uint64_t left = raw_ ? 4 : 0; left > 0; --left) value += static_cast<char>(random_.next());
  }

  template <typename T>
  void fill(std::vector<T>& value) {
    for (uint64_t left = random_.below(4); left > 0; --left) value.push_back(make<T>());
  }
  template <typename T>
  void fill(std::optional<T>& value) {
    if (random_.below(2) == 1) value = make<T>();
  }
  template <typename T>
  void fill(Rare<T>& value) {
    if (random_.below(2) == 1) value = make<T>();
  }
  template <typename T>
  void fill(std::map<std::string, T>& value) {
    for (uint64_t left = random_.below(4); left > 0; --left) value[make<std::string>()] = make<T>();
  }
  void fill(std::set<std::string>& value) {
    for (uint64_t left = random_.below(4); left > 0; --left) value.insert(make<std::string>());
  }
  template <typename... Kinds>
  void fill(std::variant<Kinds...>& value) {
    const uint64_t chosen = random_.below(sizeof...(Kinds));
    uint64_t at = 0;
    ((at++ == chosen ? void(value = make<Kinds>()) : void()), ...);
  }

  // The last value of each enum.
  void fill(ExitStatus::Kind& value) { pick(value, ExitStatus::Kind::not_started); }
  void fill(RankFinding::Kind& value) { pick(value, RankFinding::Kind::stuck); }
  // `waiting` is never sent.
  void fill(RankPhase& value) {
    pick(value, RankPhase::stopping);
    value = static_cast<RankPhase>(static_cast<int>(value) + 1);
  }
  void fill(OutputStream& value) { pick(value, OutputStream::setup); }
  void fill(SetupPhase& value) { pick(value, SetupPhase::devices); }
  void fill(ExecStream& value) { pick(value, ExecStream::err); }
  void fill(RendezvousCall::Kind& value) { pick(value, RendezvousCall::Kind::fence); }
  template <typename Enum>
  void pick(Enum& value, Enum last) {
    value = static_cast<Enum>(random_.below(static_cast<uint64_t>(last) + 1));
  }

  void fill(Status& value) {
    const bool raw = std::exchange(raw_, false);  // a sentence is text
    value = Status(static_cast<Code>(random_.below(17)), make<std::string>());
    raw_ = raw;
  }

  void fill(ProcessSettings& v) {
    auto& [umask, soft_limits, cpus, nice, ignored_signals] = v;
    all(umask, cpus, nice, ignored_signals);
    fill_limits(soft_limits);
  }
  void fill(CallerWindow& v) {
    auto& [rows, columns, keys] = v;
    all(rows, columns, keys);
  }
  void fill(CallerInput& v) {
    auto& [pid, start_ticks, descriptor, rank] = v;
    all(pid, start_ticks, descriptor, rank);
  }
  void fill(CallerStreams& v) {
    auto& [window, input] = v;
    all(window, input);
  }
  void fill_limits(std::map<std::string, uint64_t>& limits) {
    const bool raw = std::exchange(raw_, false);  // a limit's name is text
    for (uint64_t left = random_.below(4); left > 0; --left) limits[make<std::string>()] = make<uint64_t>();
    raw_ = raw;
  }
  void fill(double& value) { value = static_cast<double>(random_.next()) / 1e9; }
  void fill(Progress& v) {
    const bool raw = std::exchange(raw_, false);  // a metric's name is text
    v.step = make<uint64_t>();
    v.total = make<uint64_t>();
    for (uint64_t left = random_.below(4); left > 0; --left) v.metrics[make<std::string>()] = make<double>();
    raw_ = raw;
  }
  void fill(JobProgress& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(RendezvousMember& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(EndQuestion&) {}
  void fill(RejoinRequest& v) { fill(v.withdraw); }
  void fill(WorkerCall& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(EndNotice& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(NewPlace& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(ExitStatus& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  void fill(RankReport& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  void fill(RankUse& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(RankFinding& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(CollectiveProgress& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(RankLocation& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(Report& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
  void fill(SetupReport& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(SetupTask& v) {
    auto& [a, b, c, d, e, f, g, h, i, j] = v;
    all(a, b, c, d, e, f, g, h, i, j);
  }
  void fill(ContainerProgram& value) { pick(value, ContainerProgram::enroot); }
  void fill(ContainerMount& v) { all(v.source, v.target, v.read_only); }
  void fill(ContainerTask& v) { all(v.image, v.program, v.mounts, v.gpus, v.files); }
  void fill(ProcessIdentity& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Hello& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  void fill(PodSelf& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(HostOffer& v) {
    auto& [a, b, c, d, e, f, g, h, i] = v;
    all(a, b, c, d, e, f, g, h, i);
  }
  void fill(Leave& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(JournalCopy& v) { fill(v.lines); }
  void fill(Bind& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }
  void fill(LeftoverAction& value) { pick(value, LeftoverAction::stop); }
  void fill(LeftoverSpec& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(OutputFile& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(OutputBytes& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(OutputTaken& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(Endpoint& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(StoreTask& v) { all(v.here, v.there, v.peers, v.clients); }
  void fill(RankTask& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  void fill(WarmTask& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(MpiNode& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(MpiTask& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(ServiceProgram& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(DesiredState& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  }
  void fill(TtyInput& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(Dismiss& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(RendezvousCall& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(RendezvousAnswer& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(RendezvousRequest& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(RendezvousReply& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(ExecStart& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  void fill(PeerExec& v) { fill(v.frame); }
  void fill(ExecBytes& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(ExecTaken& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(ExecResize& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(ExecSignal& v) { fill(v.number); }
  void fill(ExecLeave& v) { fill(v.lost); }
  void fill(ExecEnd& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(ExecFrame& v) { all(v.id, v.part); }
  void fill(SubmitRequest& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  void fill(RankView& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  }
  void fill(AttemptView& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  void fill(JobView& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, w, x, y, z, x0, x1, x2, x3, x4, x5, x6, x7] =
        v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, w, x, y, z, x0, x1, x2, x3, x4, x5, x6, x7);
  }
  void fill(JobEvent& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(OutputPosition& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(OutputChunk& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(OutputSpan& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(FollowRequest& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  void fill(FollowItem& v) { fill(v.item); }
  void fill(IdleAgent& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(ControllerInfo& v) {
    auto& [a, b, c, d, e, f, idle, means] = v;
    all(a, b, c, d, e, f, idle);
    fill_limits(means);
  }
  void fill(PruneRequest& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(Pruned& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(TtyBytes& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }

  Random random_;
  bool raw_;
};

// A comparable form of a value, also for types without operator==.
template <typename T>
const T& comparable(const T& value) {
  return value;
}
inline auto comparable(const SubmitRequest& v) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k);
}
inline auto comparable(const FollowRequest& v) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
}
inline const auto& comparable(const FollowItem& v) { return v.item; }
inline auto comparable(const ControllerInfo& v) {
  const auto& [a, b, c, d, e, f, g, h] = v;
  return std::tie(a, b, c, d, e, f, g, h);
}
inline auto comparable(const TtyBytes& v) {
  const auto& [a, b, c, d, e] = v;
  return std::tie(a, b, c, d, e);
}

}  // namespace muster
