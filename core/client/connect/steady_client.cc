#include "core/client/connect/steady_client.h"

namespace muster {
namespace {

// Each finds another controller leaving: more than a few in a row is trouble of another kind.
constexpr int kTries = 5;

Code code_of(const Status& status) { return status.code(); }
template <typename Value>
Code code_of(const Result<Value>& result) {
  return result.status().code();
}

}  // namespace

template <typename Call>
auto SteadyClient::steadily(Call call) {
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
  return steadily([&](ControlClient& client) { return client.submit(request); });
}

Result<std::vector<JobView>> SteadyClient::list(const ListRequest& request) {
  return steadily([&](ControlClient& client) { return client.list(request); });
}

Result<JobView> SteadyClient::describe(const DescribeRequest& request) {
  return steadily([&](ControlClient& client) { return client.describe(request); });
}

Status SteadyClient::stop(const std::string& job, int signal, Duration grace) {
  return steadily([&](ControlClient& client) { return client.stop(job, signal, grace); });
}

Result<JobView> SteadyClient::arrange(const ArrangeRequest& request) {
  return steadily([&](ControlClient& client) { return client.arrange(request); });
}

Status SteadyClient::remove(const std::string& job) {
  return steadily([&](ControlClient& client) { return client.remove(job); });
}

Result<ControllerInfo> SteadyClient::info() {
  return steadily([](ControlClient& client) { return client.info(); });
}

}  // namespace muster
