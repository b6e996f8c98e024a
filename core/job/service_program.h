// SPDX-License-Identifier: Apache-2.0
// A program that an agent runs for the ranks of a world: the tracker of XGBoost, or a server of the user's. It runs on
// the first node of the world, anew in each attempt, and ends with the attempt. A value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/endpoint.h"

namespace muster {

struct ServiceProgram {
  std::string name;               // in sentences: "the tracker of XGBoost"
  std::string python;             // a program for the Python interpreter of the ranks; empty: `argv` is the command
  std::vector<std::string> argv;  // the command, or the arguments of `python`
  Endpoint here;                  // ranks start when a socket listens at this port; port 0: they do not wait
  bool elsewhere = false;         // another node runs it: ranks of this node wait until it listens there
  bool operator==(const ServiceProgram&) const = default;
};

// The environment variable that marks its process and those that it starts.
constexpr const char* kServiceVariable = "MUSTER_SERVICE";

// Prefix of every message of the service that runs it: "the service on node-a: the tracker exited with code 1".
constexpr std::string_view kProgramTrouble = "the service on ";

}  // namespace muster
