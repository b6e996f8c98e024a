// SPDX-License-Identifier: Apache-2.0
// The environment of the controller and of local agents. They serve later jobs too, so they do not keep the variables of
// the shell that happened to start them, which may hold secrets. A job's variables come with the job. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace muster {

// "NAME=value" for each variable of the shell that muster itself, its libraries and its helper programs need.
std::vector<std::string> service_environment(const std::map<std::string, std::string>& shell);

}  // namespace muster
