// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/tree/tree_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string shortened(const std::string& job) { return tree_json(short_form(load_yaml(job, "job.yaml").root)); }

TEST(TreeText, ShortForm_HasTheKeysOfItsOnlyGroupAtTheTop) {
  EXPECT_EQ(shortened("env: {A: a}\ngroups: [{name: worker, nodes: 1, command: [x], env: {B: b}}]\n"),
            R"({"env":{"A":"a","B":"b"},"command":["x"]})");
}

TEST(TreeText, ShortForm_KeepsRulesOfAGroupAndMounts) {
  const std::string ruled =
      R"({"restarts":{"never_on":["group trainers exit 42"]},"groups":[{"name":"trainers","command":["x"]}]})";
  EXPECT_EQ(shortened(ruled), ruled);
  EXPECT_EQ(shortened("restarts: {never_on: [exit 42]}\ngroups: [{name: trainers, command: [x]}]\n"),
            R"({"restarts":{"never_on":["exit 42"]},"command":["x"]})");
  EXPECT_EQ(shortened("in_image: {mounts: [\"/a:/b\"]}\ngroups: [{name: worker, command: [x], in_image: i}]\n"),
            R"({"in_image":{"mounts":["/a:/b"],"image":"i"},"command":["x"]})");
}

}  // namespace
}  // namespace muster
