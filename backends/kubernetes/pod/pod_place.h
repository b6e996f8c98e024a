// SPDX-License-Identifier: Apache-2.0
// The paths and variables that the manifest gives to muster's programs in a pod (core/job/pod_words.h). A value, read once.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/client/caller_context.h"
#include "core/port/agent_messages.h"
#include "core/port/tcp_target.h"

namespace muster::pod {

struct PodPlace {
  std::string folder;               // exists as long as the pod
  std::string secrets;              // the mounted Secret
  std::string termination_message;  // the file for the container's termination message
  std::string coordinator;          // the coordinator's host name in the cluster
  Duration termination_delay{0};    // how long the container stays after its work has ended
  PodSelf self;

  std::string state() const { return folder + "/state"; }
  std::string run() const { return folder + "/run"; }  // sockets
  std::string controller_socket() const { return run() + "/controller.sock"; }
};

// MUSTER_POD_FOLDER, MUSTER_POD_SECRETS and MUSTER_POD_TERMINATION_MESSAGE override the paths.
PodPlace pod_place(const CallerContext& caller);

// Creates the folders. Other users of the pod may share the outer folder.
Status make_folders(const PodPlace& place);

// For mutual TLS among the pods of the job.
Result<TlsIdentity> identity_of(const PodPlace& place);

// The environment without the variables that are only for muster.
std::map<std::string, std::string> without_pod_variables(std::map<std::string, std::string> environment);

// Keeps the process, and so its container, for the termination delay. Blocks.
void wait_termination_delay(const PodPlace& place);

// Writes at most 4096 bytes (the cluster's limit), cut at a whole character. Errors are ignored.
void write_termination_message(const PodPlace& place, const std::string& text);

}  // namespace muster::pod
