// SPDX-License-Identifier: Apache-2.0
// AskingHosts: connects to hosts of a followed job whose ssh asks for input, such as a passphrase, at the terminal of the user who follows
// the job. The controller's next try uses the connection that this opens (backends/ssh/session/shared_connection.h). Loop thread only.
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

  // `hosts`: the asking hosts of the newest view. Each is visited once; again only if it stopped asking in between.
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
