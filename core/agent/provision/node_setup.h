// NodeSetup: what an agent does before any rank of its job begins on its node: the job's `setup` commands, one after the other,
// unless the same was done here before, and a look for its virtual environment.
//
// Of several on a host that would do the same or in one folder, one does it and the others wait. Loop thread only. It outlives no
// process that it started: its owner stops it and waits for quiet before letting it go.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/loop.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"
#include "core/port/process_host.h"
#include "core/port/setup_messages.h"
#include "core/port/setup_place.h"

namespace muster {

struct NodeSetupPorts {
  Loop& loop;
  ProcessHost& host;
  OutputFiles& files;
  OutputKeeper& keeper;
  SetupPlace& place;
};

// What its commands start from.
struct SetupStart {
  std::map<std::string, std::string> environment;  // the task's in it
  std::string workdir;                             // absolute
  ProcessSettings settings;
};

class NodeSetup {
 public:
  // `task`: with the path that its output has here. `changed`: report() differs.
  NodeSetup(NodeSetupPorts ports, SetupTask task, SetupStart start, std::function<void()> changed);
  ~NodeSetup();

  void start();
  // Kills what runs. Not done then, and not failed.
  void stop();

  const SetupReport& report() const { return report_; }
  bool done() const { return report_.phase == SetupPhase::done; }
  // No process of it is alive.
  bool quiet() const { return process_ == 0 && !sweeping_; }
  // Absolute; empty: none.
  const std::string& venv() const { return venv_; }

 private:
  void attempt();
  void begin();
  void next();
  void run(const std::vector<std::string>& argv, const std::string& workdir);
  void exited(const ExitStatus& exit);
  void sweep(std::function<void()> then);
  void finish();
  void stay_used();
  void fail(const std::string& why);
  void tell(SetupPhase phase, const std::string& doing);
  std::string said(const ExitStatus& exit) const;

  NodeSetupPorts ports_;
  const SetupTask task_;
  SetupStart start_;
  const std::function<void()> changed_;
  std::string venv_;
  SetupSite site_;
  std::unique_ptr<MachineLease> lock_;
  std::vector<std::vector<std::string>> left_;  // commands, the next one last
  std::string running_;
  SetupReport report_;
  ProcessHandle process_ = 0;
  bool sweeping_ = false;
  bool stopped_ = false;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// A program's variables, so that it runs in the virtual environment: as its `activate` has them.
void enter_venv(std::map<std::string, std::string>& environment, const std::string& venv);

}  // namespace muster
