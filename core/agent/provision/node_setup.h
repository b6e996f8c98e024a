// SPDX-License-Identifier: Apache-2.0
// NodeSetup: runs the job's `setup` commands on a node, one after the other, before any rank starts there, and checks that the
// virtual environment exists. Commands that were already run for the same setup on this host are skipped. In a container they always
// run, because what they change in its image is lost with the container.
//
// If several jobs or nodes on a host have the same setup or the same folder, one runs it and the others wait. Loop thread
// only. The owner calls stop() and waits for quiet() before it destroys the object, since its processes must have ended.
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

// Settings with which the commands start.
struct SetupStart {
  std::map<std::string, std::string> environment;  // with the variables of the task
  std::string workdir;                             // absolute
  ProcessSettings settings;
  std::shared_ptr<const ContainerEntry> container = nullptr;  // in which the commands run; null: on the host
};

class NodeSetup {
 public:
  // `task` has the path of its output on this host. `changed` is called when report() has changed.
  NodeSetup(NodeSetupPorts ports, SetupTask task, SetupStart start, std::function<void()> changed);
  ~NodeSetup();

  void start();
  // Kills the running command. The setup is then neither done nor failed.
  void stop();

  const SetupReport& report() const { return report_; }
  // Why it waits until its output can be stored, for Report::trouble; empty: it does not wait.
  const std::string& trouble() const { return trouble_; }
  bool done() const { return report_.phase == SetupPhase::done; }
  // No process of the setup is alive.
  bool quiet() const { return process_ == 0 && !sweeping_; }
  // Absolute; empty: none.
  const std::string& venv() const { return venv_; }

 private:
  void attempt();
  void open_output();
  void begin();
  void next();
  void run(const std::vector<std::string>& argv, const std::string& workdir);
  void exited(const ExitStatus& exit);
  void sweep(std::function<void()> then);
  void finish();
  void stay_used();
  void fail(const std::string& why);
  void tell(SetupPhase phase, const std::string& doing);
  std::string failure_said(const ExitStatus& exit) const;

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
  std::string trouble_;
  TimePoint waits_since_;
  bool sweeping_ = false;
  bool stopped_ = false;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Sets the variables that `activate` of the virtual environment sets.
void enter_venv(std::map<std::string, std::string>& environment, const std::string& venv);

}  // namespace muster
