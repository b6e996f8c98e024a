// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_lookup.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

class FindJob : public ::testing::Test {
 protected:
  JobId add(const std::string& name) {
    JobRecord record;
    record.id = JobId::make(random_);
    record.name = name;
    record.submitted = from_unix_nanos(static_cast<int64_t>(records_.size()) + 1);
    records_[record.id] = record;
    return record.id;
  }
  Random random_{7};
  JobRecords records_;
};

TEST_F(FindJob, TakesTheNewestOfEqualNames) {
  add("fashion");
  const JobId second = add("fashion");
  EXPECT_EQ(*find_job(records_, "fashion"), second);
}

TEST_F(FindJob, TakesAUniquePrefixOfNameOrId) {
  const JobId llm = add("llm");
  add("sweep");
  EXPECT_EQ(*find_job(records_, "ll"), llm);
  EXPECT_EQ(*find_job(records_, llm.text().substr(0, 20)), llm);
}

TEST_F(FindJob, AnExactNameWinsOverPrefixes) {
  const JobId train = add("train");
  add("train-7f2");
  EXPECT_EQ(*find_job(records_, "train"), train);
}

TEST_F(FindJob, NamesTheCandidatesOfAnAmbiguousPrefix) {
  add("train-a");
  add("train-b");
  const Status status = find_job(records_, "train").status();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), "`train` matches several jobs: train-a, train-b; name one of them");
}

TEST_F(FindJob, LastIsTheNewest) {
  add("a");
  const JobId b = add("b");
  EXPECT_EQ(*find_job(records_, "@last"), b);
}

TEST_F(FindJob, SuggestsTheNearestName) {
  add("fashion");
  EXPECT_EQ(find_job(records_, "fashoin").status().message(), "there is no job `fashoin`; did you mean fashion?");
  EXPECT_EQ(find_job({}, "@last").status().code(), Code::not_found);
  EXPECT_EQ(find_job({}, "@last").status().message(), "there is no job; muster run -- PROGRAM starts one");
  EXPECT_EQ(find_job(records_, "").status().code(), Code::not_found);
}

}  // namespace
}  // namespace muster
