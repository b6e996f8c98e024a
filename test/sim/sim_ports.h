// SPDX-License-Identifier: Apache-2.0
// The smaller ports of a simulated world: a log in memory, leases, and output files as text.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/port/container_host.h"
#include "core/port/exec_host.h"
#include "core/port/machine_info.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"
#include "core/port/rank_probe.h"
#include "core/port/setup_place.h"
#include "core/port/timer_pipe.h"
#include "core/port/worker_listener.h"

namespace muster::sim {

class SimLog final : public Log {
 public:
  void write(LogLevel level, std::string_view message) override {
    if (level == LogLevel::error) errors.emplace_back(message);
  }
  std::vector<std::string> errors;
};

// Ranks are active, except those that a test stops or silences.
class SimProbe final : public RankProbe {
 public:
  RankSample look(int64_t pid, const std::vector<std::string>&, bool) override {
    RankActivity life;
    life.output_bytes = silent ? 0 : ++looks_;
    return {stopped.count(pid) > 0 ? 'T' : 'S', 1, life};
  }
  void examine(int64_t, Tell tell) override { tell({"read", "  main\n"}, false); }

  std::set<int64_t> stopped;
  bool silent = false;

 private:
  uint64_t looks_ = 0;
};

// Simulations start no exec processes.
class SimExecs final : public ExecHost {
 public:
  Result<std::unique_ptr<Exec>> start(const ExecRequest&, ExecHandlers) override {
    return Status(Code::unimplemented, "no exec processes");
  }
};

class SimLeases final : public MachineLeases {
 public:
  Result<LeasedPort> lease_port() override {
    if (none_left) return Status(Code::resource_exhausted, "no port");
    const uint16_t port = ++last_;
    held_->insert(std::to_string(port));
    LeasedPort leased;
    leased.port = port;
    leased.lease = std::make_unique<Lease>(held_, std::vector<std::string>{std::to_string(port)});
    return leased;
  }
  Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>& uuids) override {
    for (const std::string& uuid : uuids) {
      if (held_->count(uuid) > 0) return Status(Code::failed_precondition, uuid + " is held by process 4711");
    }
    held_->insert(uuids.begin(), uuids.end());
    return std::unique_ptr<MachineLease>(std::make_unique<Lease>(held_, uuids));
  }
  std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>& uuids) override {
    std::vector<std::string> names;
    for (const std::string& uuid : uuids) names.push_back("want-" + uuid);
    held_->insert(names.begin(), names.end());
    return std::make_unique<Lease>(held_, names);
  }
  bool are_wanted(const std::vector<std::string>& uuids) override {
    return std::any_of(uuids.begin(), uuids.end(),
                       [&](const std::string& uuid) { return held_->count("want-" + uuid) > 0; });
  }
  Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) override {
    if (const std::string why = refusal(told()); !why.empty()) return Status(Code::unavailable, why);
    return tell(mine);
  }
  Result<std::unique_ptr<MachineLease>> tell(const MachineShare&) override {
    return std::unique_ptr<MachineLease>(std::make_unique<Lease>(held_, std::vector<std::string>()));
  }
  std::vector<MachineShare> told() override { return {}; }
  std::string blind_spot() const override { return ""; }
  // "20001", "GPU-0".
  const std::set<std::string>& held() const { return *held_; }
  bool none_left = false;

 private:
  using Held = std::shared_ptr<std::set<std::string>>;
  class Lease final : public MachineLease {
   public:
    Lease(Held held, std::vector<std::string> what) : held_(std::move(held)), what_(std::move(what)) {}
    ~Lease() override {
      for (const std::string& each : what_) held_->erase(each);
    }

   private:
    Held held_;
    std::vector<std::string> what_;
  };
  uint16_t last_ = 20000;
  Held held_ = std::make_shared<std::set<std::string>>();
};

class SimOutput final : public OutputFiles {
 public:
  Result<std::string> path(const JobId& job, Attempt attempt, const std::string& rank_file,
                           OutputStream stream) override {
    return "/" + job.text() + "/attempt-" + std::to_string(attempt) + "/" + rank_file + ending_of(stream);
  }
  Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) override {
    const std::string& text = files[path];
    return offset < text.size() ? text.substr(offset, limit) : "";
  }
  uint64_t size(const std::string& path) const override {
    const auto found = files.find(path);
    return found == files.end() ? 0 : found->second.size();
  }
  uint64_t first_kept(const std::string&) const override { return 0; }
  std::unique_ptr<OutputWatch> watch(const JobId&, Attempt, OutputChanged changed) override {
    return std::make_unique<Watch>(std::move(changed));
  }
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>&, OutputChanged changed) override {
    return std::make_unique<Watch>(std::move(changed));
  }

  std::map<std::string, std::string> files;
  Status refusal;  // of new files, as on a full disk

 private:
  class Watch final : public OutputWatch {
   public:
    explicit Watch(OutputChanged changed) : changed_(std::move(changed)) {}
    void catch_up() override { changed_({}); }

   private:
    const OutputChanged changed_;
  };
};

// A test plays the workers.
class SimDoor final : public WorkerListener {
 public:
  std::string path() const override { return "/run/worker.socket"; }
  void restore() override {}
  void remove_beside(const std::string& path) override { removed.push_back(path); }
  void listen(OnCall on_call, OnTrouble) override { on_call_ = std::move(on_call); }
  void serve_execs(OnExec) override {}
  void ask(const WorkerCall& call, Answer answer) { on_call_(call, std::move(answer)); }

  std::vector<std::string> removed;

 private:
  std::function<void(const WorkerCall&, Answer)> on_call_;
};

// Keeps its records as long as the host exists.
// A host without programs that open images.
class SimContainers final : public ContainerHost {
 public:
  ContainerPlace place(const std::map<std::string, std::string>&) override { return {}; }
  std::string find(const std::string&, const std::map<std::string, std::string>&) override { return ""; }
  Result<std::unique_ptr<ContainerRun>> run(const std::vector<std::string>&, const std::map<std::string, std::string>&,
                                            ContainerRunEvents) override {
    return Status(Code::not_found, "no programs");
  }
  Status write_file(const std::string&, std::string_view) override { return Status(); }
  Result<OpenedContainer> open(int64_t, const std::string&) override {
    return Status(Code::not_found, "no containers");
  }
  Status remember(const std::string&, const std::vector<std::string>&,
                  const std::map<std::string, std::string>&) override {
    return Status();
  }
  void forget(const std::string&) override {}
};

class SimSetups final : public SetupPlace {
 public:
  SetupSite site(const std::string& identity, const std::vector<std::vector<std::string>>&,
                 const std::string& workdir) override {
    return {identity, workdir, ""};
  }
  bool is_done(const SetupSite& site) override { return done.count(site.name) > 0; }
  Status note_done(const SetupSite& site) override {
    done.insert(site.name);
    return Status();
  }
  std::unique_ptr<MachineLease> lock(const SetupSite& site) override {
    if (held_.lock() != nullptr && !site.name.empty()) return nullptr;
    auto held = std::make_shared<int>(0);
    held_ = held;
    return std::make_unique<Lock>(std::move(held));
  }
  Status clear(const SetupSite&) override { return Status(); }
  Status link(const SetupSite&) override { return Status(); }
  bool is_venv(const std::string& path) override { return venvs.count(path) > 0; }

  std::set<std::string> done;
  std::set<std::string> venvs;

 private:
  class Lock final : public MachineLease {
   public:
    explicit Lock(std::shared_ptr<int> held) : held_(std::move(held)) {}

   private:
    std::shared_ptr<int> held_;
  };
  std::weak_ptr<int> held_;
};

// A test plays the processes that write to it; each is the leader of its session.
class SimTimers final : public TimerPipe {
 public:
  Result<std::string> open(const std::string& wanted, OnLine on_line) override {
    on_line_ = std::move(on_line);
    return wanted.empty() ? "/run/timers" : wanted;
  }
  void close() override { on_line_ = nullptr; }
  int64_t session_of(int64_t pid) const override { return gone.count(pid) > 0 ? 0 : pid; }

  bool is_open() const { return on_line_ != nullptr; }
  void write(std::string_view line, int64_t wall_nanos) { on_line_(line, wall_nanos); }

  std::set<int64_t> gone;

 private:
  OnLine on_line_;
};

class SimKeeper final : public OutputKeeper {
 public:
  explicit SimKeeper(SimOutput& output) : output_(output) {}
  uint64_t size(const std::string& path) const override { return output_.size(path); }
  Status room(const std::string&) const override { return output_.refusal; }
  Status create(const std::string& path) override {
    if (!output_.refusal.ok()) return output_.refusal;
    return append(path, "");
  }
  Status append(const std::string& path, std::string_view bytes) override {
    output_.files[path] += bytes;
    return Status();
  }
  Result<uint64_t> drop_before(const std::string&, uint64_t) override {
    return Status(Code::unimplemented, "simulated files keep everything");
  }
  Status begin_at(const std::string&, uint64_t) override {
    return Status(Code::unimplemented, "simulated files keep everything");
  }
  void remove_rank(const std::string& path) override {
    const std::string rank = path.substr(0, path.rfind('.'));
    for (const char* ending : {".out", ".err", ".times", ".order"}) output_.files.erase(rank + ending);
  }

 private:
  SimOutput& output_;
};

}  // namespace muster::sim
