// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/describe_view.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

ExitStatus stopped_because_of(const std::string& service) {
  return {.kind = ExitStatus::Kind::signalled,
          .signal = SIGTERM,
          .detail = service,
          .asked = true,
          .service_failed = !service.empty()};
}

// A job of two ranks, of which rank 1 was the first failure.
bool describes(const ExitStatus& first, const ExitStatus& other, const std::string& text) {
  JobView job{.name = "train", .state = "failed", .done = true, .attempt = 1};
  job.ranks = {{.index = 0, .name = "rank 0", .host = "ws0", .exit = other},
               {.index = 1, .rank = 1, .name = "rank 1", .host = "ws1", .exit = first}};
  job.attempts = {{.attempt = 1, .cause = "rank 1 failed", .culprit = 1, .culprit_exit = first}};
  return describe_view(job, Style{.columns = 120}).find("was stopped because " + text + "\n") != std::string::npos;
}

TEST(Describe, ARankThatAFailedServiceEnded_TellsIt) {
  const std::string why = "MPI on ws1: no memory";
  EXPECT_TRUE(describes(stopped_because_of(why), stopped_because_of(why), "of " + why));
  EXPECT_TRUE(describes(stopped_because_of(why), stopped_because_of(why), "a service failed"));
  EXPECT_TRUE(describes(stopped_because_of(why), stopped_because_of(""), "a service failed")) << "of another node";
  EXPECT_TRUE(describes({.code = 1}, stopped_because_of(why), "a service failed"));
}

TEST(Describe, ARankThatAFailedRankEnded_TellsIt) {
  EXPECT_TRUE(describes({.code = 1}, stopped_because_of(""), "another rank failed"));
}

}  // namespace
}  // namespace muster
