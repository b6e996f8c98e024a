// Files of a job, from the host where its ranks wrote them to here, by `muster pack` there and tar here. For commands: blocks, and lets ssh
// ask what it has to.
#pragma once

#include <memory>
#include <string>

#include "core/adapter/ssh/host_session.h"
#include "core/model/fetch_order.h"
#include "launcher/surroundings.h"

namespace muster {

// Into the folder `target`, which is made; what is there by those names is replaced once all has come. A host that lies cannot write
// elsewhere. Fails with what ssh, the host or tar said.
Status fetch(const Surroundings& surroundings, std::shared_ptr<const HostAccess> access, const std::string& host,
             const FetchOrder& order, const std::string& target);

}  // namespace muster
