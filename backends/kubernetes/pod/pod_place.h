// Where a program of ours in a pod finds what the manifest gave it (model/pod_words.h). A value, read once.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/client/caller_context.h"
#include "core/port/agent_messages.h"
#include "core/port/tcp_target.h"

namespace muster::pod {

struct PodPlace {
  std::string folder;           // lasts as long as the pod
  std::string secrets;          // the mounted Secret
  std::string failure_message;  // the file in which the cluster looks for the last sentence
  std::string coordinator;      // its host name in the cluster
  Duration stay{0};             // behind the work, when the pod is to end
  PodSelf self;

  std::string state() const { return folder + "/state"; }
  std::string run() const { return folder + "/run"; }  // sockets
  std::string controller_socket() const { return run() + "/controller.sock"; }
};

// Folders of the place may be named otherwise by MUSTER_POD_FOLDER, MUSTER_POD_SECRETS and MUSTER_POD_TERMINATION_MESSAGE.
PodPlace pod_place(const CallerContext& caller);

// Makes its folders. Others of the pod's users may share the outer one.
Status make_folders(const PodPlace& place);

// For mutual TLS among the pods of the job.
Result<TlsIdentity> identity_of(const PodPlace& place);

// The environment without what is for us alone.
std::map<std::string, std::string> without_pod_variables(std::map<std::string, std::string> environment);

// Nothing of the job lives here any more; the process does, for so long.
void stay_behind(const PodPlace& place);

// At most 4096 bytes of it (the cluster cuts what is longer), whole characters; what cannot be written is nobody's fault.
void leave_failure_message(const PodPlace& place, const std::string& text);

}  // namespace muster::pod
