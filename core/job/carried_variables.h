// Which variables of the shell that submits a job go along to hosts that are not its own: those that tune the libraries of training
// programs. Folders and secrets of one machine are none of another's. Pure.
#pragma once

#include <string_view>

namespace muster {

bool is_carried(std::string_view name);

}  // namespace muster
