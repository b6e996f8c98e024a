// HostSurvey: asks many hosts what they have, a few at a time. Those whose ssh wants to ask something are asked again, one after
// the other, when somebody is there to answer. Loop thread only.
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
    std::function<void(const HostReport&)> visited;  // one is done; in the order in which they are
    std::function<void(const std::string&)> asking;  // ssh is about to ask at the terminal
    std::function<void()> over;                      // once: all of reports() are there
  };

  // all: what a person may want to know; machine: what a plan needs, which starts no Python there; forget: that, and what muster keeps
  // there is removed.
  enum class Depth { all, machine, forget };

  // `people`: somebody sits at the terminal.
  HostSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ListedHost> hosts, bool people,
             Depth depth, Handlers handlers);
  ~HostSurvey();

  // In the order of the list.
  const std::vector<HostReport>& reports() const { return reports_; }

 private:
  struct Visit;

  std::vector<std::string> words() const;
  void go_on();
  void begin(size_t index, bool may_ask);
  void inside(size_t index);
  void leave(size_t index);
  void done(size_t index);
  void failed(size_t index, const ssh::SshTrouble& trouble, bool for_good);

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const bool people_;
  const Depth depth_;
  Handlers handlers_;
  std::vector<HostReport> reports_;
  std::vector<std::unique_ptr<Visit>> visits_;
  std::set<size_t> to_ask_;  // in turn, at the terminal
  size_t next_ = 0;
  size_t under_way_ = 0;
  size_t knocking_ = 0;  // of these, who is not let in yet
};

}  // namespace muster
