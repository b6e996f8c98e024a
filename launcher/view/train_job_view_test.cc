// SPDX-License-Identifier: Apache-2.0
// MUSTER_REWRITE_GOLDEN=1 rewrites test/golden/cli/trainjob.yaml.
#include "launcher/view/train_job_view.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/client/view/json.h"

namespace muster {
namespace {

using Json = nlohmann::json;

TimePoint second(int seconds) { return from_unix_nanos((1'763'700'000LL + seconds) * 1'000'000'000); }

JobView train_job_in(const std::string& state,
                     const std::string& manifest = R"({"apiVersion":"trainer.kubeflow.org/v1alpha1",
    "kind":"TrainJob","metadata":{"name":"mnist","labels":{"team":"vision"}},
    "spec":{"runtimeRef":{"name":"torch-distributed"},"trainer":{"numNodes":2,"command":["torchrun","train.py"]}}})") {
  JobView job{.name = "mnist",
              .state = state,
              .done = state == "succeeded" || state == "failed" || state == "cancelled",
              .sentence = state + ": 2 ranks",
              .manifest = manifest,
              .spec_json = R"({"name":"mnist","groups":[{"name":"node","nodes":2,"command":["a"]}]})",
              .submitted = second(0)};
  for (uint32_t i = 0; i < 2; ++i)
    job.ranks.push_back({.index = i, .group = "node", .rank = i, .phase = RankPhase::running});
  if (job.done) job.ended = second(60);
  return job;
}

Json shown_status(const JobView& job) {
  const auto text = train_job_json(job);
  EXPECT_TRUE(text.ok());
  return text.ok() ? Json::parse(*text).value("status", Json::object()) : Json();
}

// "type status reason" of each condition.
std::vector<std::string> shown_conditions(const JobView& job) {
  std::vector<std::string> found;
  for (const Json& each : shown_status(job).value("conditions", Json::array()))
    found.push_back(each["type"].get<std::string>() + " " + each["status"].get<std::string>() + " " +
                    each["reason"].get<std::string>());
  return found;
}

// "active ready succeeded failed suspended" of the only job.
std::string shown_numbers(const JobView& job) {
  std::string text;
  const Json status = shown_status(job).at("jobsStatus").at(0);
  for (const char* name : {"active", "ready", "succeeded", "failed", "suspended"})
    text += std::to_string(status.at(name).get<int>());
  return text;
}

using Conditions = std::vector<std::string>;

TEST(TrainJobView, AJobThatFailed_IsPrintedAsKubectlPrintsATrainJob) {
  JobView job = train_job_in("failed");
  job.sentence = "failed: rank 1 raised RuntimeError: shapes do not match at train.py:41";
  const std::string found = yaml_from_json(*train_job_json(job));
  const std::string path = MUSTER_SOURCE_DIR "/test/golden/cli/trainjob.yaml";
  if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << found;
  std::stringstream expected;
  expected << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_EQ(found, expected.str());
}

TEST(TrainJobView, ALiveJob_HasNoConditionAndAnActiveJob) {
  JobView job = train_job_in("running");
  EXPECT_EQ(shown_conditions(job), Conditions{});
  EXPECT_EQ(shown_numbers(job), "11000");
  job.ranks[1].phase = RankPhase::starting;
  EXPECT_EQ(shown_numbers(job), "10000");
  EXPECT_EQ(shown_numbers(train_job_in("placing")).front(), '1');
}

TEST(TrainJobView, EachEnd_HasTheReasonOfTheJobSet) {
  EXPECT_EQ(shown_conditions(train_job_in("succeeded")), Conditions{"Complete True AllJobsCompleted"});
  EXPECT_EQ(shown_numbers(train_job_in("succeeded")), "00100");
  EXPECT_EQ(shown_conditions(train_job_in("cancelled")), Conditions{"Failed True Stopped"});
  JobView failed = train_job_in("failed");
  EXPECT_EQ(shown_numbers(failed), "00010");
  EXPECT_EQ(shown_conditions(failed), Conditions{"Failed True FailedJobs"});
  failed.restarts = failed.restart_limit = 2;
  EXPECT_EQ(shown_conditions(failed), Conditions{"Failed True ReachedMaxRestarts"});
  failed.exit_code = 7;
  EXPECT_EQ(shown_conditions(failed), Conditions{"Failed True ReachedMaxRestarts"}) << "another time limit";
  failed.spec_json.replace(1, 0, R"("timeouts":{"run":"60s"},)");
  EXPECT_EQ(shown_conditions(failed), Conditions{"Failed True DeadlineExceeded"});
}

TEST(TrainJobView, AHeldJob_IsSuspendedUntilItIsReleased) {
  JobView job = train_job_in("queued", R"({"kind":"TrainJob","metadata":{},"spec":{"suspend":true}})");
  job.ranks.clear();
  job.held_by = "the job file";
  EXPECT_EQ(shown_conditions(job), Conditions{"Suspended True Suspended"});
  EXPECT_EQ(shown_numbers(job), "00001");
  job.held_by.clear();
  EXPECT_EQ(shown_conditions(job), Conditions{"Suspended False Resumed"});
  EXPECT_EQ(shown_numbers(job), "10000");
  EXPECT_EQ(Json::parse(*train_job_json(job))["spec"]["suspend"], false);
  job.state = "cancelled";
  job.done = true;
  job.started = TimePoint();
  EXPECT_EQ(shown_conditions(job), (Conditions{"Suspended True Suspended", "Failed True Stopped"}));
  EXPECT_EQ(Json::parse(*train_job_json(job))["spec"]["suspend"], true) << "it was never released";
}

TEST(TrainJobView, AJobOfAnotherFile_IsAnErrorThatSaysOfWhich) {
  for (const auto& [manifest, said] :
       {std::pair("", "was not read from a TrainJob"),
        std::pair(R"({"kind":"MPIJob","metadata":{},"spec":{}})", "was read from a MPIJob"),
        std::pair("damaged", "was not read from a TrainJob")}) {
    const auto text = train_job_json(train_job_in("running", manifest));
    ASSERT_FALSE(text.ok());
    EXPECT_NE(text.status().message().find(said), std::string::npos) << text.status().message();
  }
}

}  // namespace
}  // namespace muster
