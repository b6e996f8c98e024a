// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/coordinator_link.h"

#include <sys/socket.h>

#include "core/job/pod_words.h"

namespace muster {
namespace {

// Errors of `muster pod view` concern the pod; errors of kubectl concern the cluster.
Status trouble_of(const KubectlAccess& access, const HelperEnd& end) {
  if (end.errors.find("command terminated with exit code") != std::string::npos)
    return {Code::unavailable, "the coordinator's pod says: " + kubectl_sentence(end.errors)};
  const Status status = kubectl_trouble(access.place, end.code, end.errors);
  const bool passing = status.code() == Code::not_found || status.code() == Code::unknown;
  return passing ? Status(Code::unavailable, status.message()) : status;
}

}  // namespace

CoordinatorLink::CoordinatorLink(const KubectlAccess& access, std::string pod)
    : access_(access),
      pod_(std::move(pod)),
      errors_(kubectls_, access.prompts, [this] {
        if (prompted_) prompted_();
      }) {}

Result<std::unique_ptr<CoordinatorLink>> CoordinatorLink::begin(const KubectlAccess& access, const std::string& pod) {
  keep_grpc();
  std::unique_ptr<CoordinatorLink> link(new CoordinatorLink(access, pod));
  auto exec = KubectlExec::start(
      link->kubectls_, access, pod, pod::kCoordinatorJob, {pod::kImageProgram, "pod", "view"},
      [raw = link.get()](const HelperEnd& end) { raw->end_ = end; },
      [raw = link.get()](std::string_view bytes) { raw->errors_.take(bytes); });
  if (!exec.ok()) return exec.status();
  link->exec_ = std::move(*exec);
  return link;
}

Status CoordinatorLink::open(Loop& loop, Duration patience) {
  UniqueFd stream = exec_->take_stream();
  if (const Status spoken = wait_for_word(stream.get(), patience); !spoken.ok()) return spoken;
  client_ = std::make_unique<GrpcControlClient>(loop, std::move(stream), "the coordinator in pod " + pod_);
  return {};
}

// A gRPC server sends first. Without data there is no server, or it is not reachable.
Status CoordinatorLink::wait_for_word(int stream, Duration patience) {
  bool late = false;
  bool spoken = false;
  TimerId deadline = kubectls_.at(kubectls_.now() + patience, [&] { late = true; });
  prompted_ = [&] {
    kubectls_.cancel(deadline);
    deadline = kubectls_.at(kubectls_.now() + KubectlErrors::login_patience, [&] { late = true; });
  };
  std::unique_ptr<LoopWatch> reads;
  reads = kubectls_.watch_readable(stream, [&] {
    char first = 0;
    spoken = recv(stream, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
    if (!spoken) reads.reset();  // the process reports its end
  });
  while (!spoken && !late && !end_ && kubectls_.run_one()) continue;
  kubectls_.cancel(deadline);
  prompted_ = nullptr;
  reads.reset();
  if (spoken) return {};
  if (end_) return trouble_of(access_, *end_);
  const std::string printed = kubectl_sentence(errors_.text());
  return {Code::unavailable, "the coordinator's pod did not answer within " + humane_duration(patience) +
                                 (printed.empty() ? "" : "; kubectl printed: " + printed)};
}

// Close the stream before kubectl is ended.
CoordinatorLink::~CoordinatorLink() { client_.reset(); }

}  // namespace muster
