// Hosts of a followed job whose ssh would ask a person something: asked here, at the terminal of whoever follows. The controller's next
// try goes through the connection that this opens (backends/ssh/session/shared_connection.h). Loop thread only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/hosts/host_survey.h"
#include "core/client/follow/presenter.h"
#include "launcher/cli/command.h"

namespace muster {

class AskingHosts {
 public:
  AskingHosts(CommandContext& context, FdLoop& loop, Presenter& presenter)
      : context_(context),
        loop_(loop),
        presenter_(presenter) {}

  // Those of the newest view. One is visited once, until it no longer asks and does so again.
  void saw(const std::vector<std::string>& hosts);

 private:
  void visit(const std::set<std::string>& hosts);
  void visited(const HostReport& report);

  CommandContext& context_;
  FdLoop& loop_;
  Presenter& presenter_;
  std::set<std::string> known_;
  std::unique_ptr<HostSurvey> survey_;
};

}  // namespace muster
