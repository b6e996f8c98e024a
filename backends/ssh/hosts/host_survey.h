// SPDX-License-Identifier: Apache-2.0
// HostSurvey: asks many hosts for their facts, some at a time. If ssh needs an answer from a person for a host, the host is visited
// again at the end, one host after the other, provided that somebody is at the terminal. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "backends/ssh/session/host_session.h"

namespace muster {

class HostSurvey {
 public:
  struct Handlers {
    std::function<void(const HostReport&)> visited;  // a host is done; called in the order in which hosts finish
    std::function<void(const std::string&)> asking;  // ssh is about to ask at the terminal for this host
    std::function<void()> over;                      // once: reports() is complete
  };

  // all: everything that `muster hosts` shows. machine: only what a plan needs, without starting Python. forget: as machine, and
  // removes what muster keeps on the host.
  enum class Depth { all, machine, forget };

  struct Question {
    Depth depth = Depth::all;
    std::string python;  // with `all`: the interpreter (is_shell_word()); empty: python, else python3
  };

  // `people`: somebody at the terminal can answer questions of ssh.
  HostSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ListedHost> hosts, bool people,
             Question question, Handlers handlers);
  ~HostSurvey();

  // In the order of the list.
  const std::vector<HostReport>& reports() const { return reports_; }

 private:
  struct Visit;

  std::vector<std::string> words() const;
  void start_visits();
  void begin(size_t index, bool may_ask);
  void connected(size_t index);
  void leave(size_t index);
  void done(size_t index);
  void failed(size_t index, const ssh::SshTrouble& trouble, bool for_good);

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const bool people_;
  const Question question_;
  Handlers handlers_;
  std::vector<HostReport> reports_;
  std::vector<std::unique_ptr<Visit>> visits_;
  std::set<size_t> to_ask_;  // hosts to visit again with questions at the terminal
  size_t next_ = 0;
  size_t under_way_ = 0;
  size_t connecting_ = 0;  // those of under_way_ whose ssh login is not complete
};

}  // namespace muster
