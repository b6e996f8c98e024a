// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "core/system/asio/asio_loop.h"

namespace muster {
namespace {

constexpr size_t kAtOnce = 6;  // each one starts a kubectl process
constexpr Duration kPatience = std::chrono::seconds(10);

class Asking {
 public:
  Asking(const KubectlAccess& access, const std::vector<ClusterQuestion>& questions)
      : access_(access),
        waiting_(questions.begin(), questions.end()) {}

  ClusterAnswers run() {
    while (running_ < kAtOnce && !waiting_.empty()) next();
    while (running_ > 0 && loop_.run_one()) continue;
    return std::move(answers_);
  }

 private:
  void next() {
    const ClusterQuestion question = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    const TimePoint began = loop_.now();
    KubectlCall::Wanted wanted{.words = question.words, .input = question.input, .patience = kPatience};
    calls_.push_back(std::make_unique<KubectlCall>(
        loop_, access_, std::move(wanted), [this, began, name = question.name](Result<std::string> result) {
          answers_[name] = {result.status(), result.ok() ? *result : "", loop_.now() - began};
          --running_;
          if (!waiting_.empty()) next();
        }));
  }

  const KubectlAccess& access_;
  AsioLoop loop_;
  std::deque<ClusterQuestion> waiting_;
  size_t running_ = 0;
  ClusterAnswers answers_;
  std::vector<std::unique_ptr<KubectlCall>> calls_;
};

}  // namespace

ClusterAnswers ask_cluster(const KubectlAccess& access, const std::vector<ClusterQuestion>& questions) {
  return Asking(access, questions).run();
}

}  // namespace muster
