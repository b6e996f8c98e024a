// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/steady_client.h"

namespace muster {
namespace {

// A try fails if the controller exits during the call. That this happens many times in a row has another cause.
constexpr int kTries = 5;

Code code_of(const Status& status) { return status.code(); }
template <typename Value>
Code code_of(const Result<Value>& result) {
  return result.status().code();
}

}  // namespace

template <typename Call>
auto SteadyClient::with_retries(Call call) {
  auto answer = call(*client_);
  for (int tried = 1; tried < kTries && code_of(answer) == Code::unavailable; ++tried) {
    auto connected = connect_();
    if (!connected.ok()) break;
    client_ = std::move(*connected);
    answer = call(*client_);
  }
  return answer;
}

Result<JobView> SteadyClient::submit(const SubmitRequest& request) {
  return with_retries([&](ControlClient& client) { return client.submit(request); });
}

Result<std::vector<JobView>> SteadyClient::list(const ListRequest& request) {
  return with_retries([&](ControlClient& client) { return client.list(request); });
}

Result<JobView> SteadyClient::describe(const DescribeRequest& request) {
  return with_retries([&](ControlClient& client) { return client.describe(request); });
}

Status SteadyClient::stop(const std::string& job, int signal, Duration grace) {
  return with_retries([&](ControlClient& client) { return client.stop(job, signal, grace); });
}

Result<JobView> SteadyClient::arrange(const ArrangeRequest& request) {
  return with_retries([&](ControlClient& client) { return client.arrange(request); });
}

Status SteadyClient::remove(const std::string& job) {
  return with_retries([&](ControlClient& client) { return client.remove(job); });
}

Result<ControllerInfo> SteadyClient::info() {
  return with_retries([](ControlClient& client) { return client.info(); });
}

}  // namespace muster
