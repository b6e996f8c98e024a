#include "core/model/job_keys.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"
#include "core/model/validate.h"

namespace muster {
namespace {

void check_rows(std::span<const Key> keys) {
  std::set<std::string_view> names;
  for (const Key& key : keys) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_TRUE(key.doc.ends_with(".")) << key.name;
    EXPECT_FALSE(key.example.empty()) << key.name;
    EXPECT_EQ(key.read == nullptr, key.type == KeyType::map) << key.name;
    EXPECT_EQ(key.children.empty(), key.type != KeyType::map && key.type != KeyType::env) << key.name;
    EXPECT_EQ(key.choices.empty(), key.type != KeyType::choice) << key.name;
    check_rows(key.children);
  }
}

TEST(JobKeys, RowsAreWhole) {
  check_rows(job_keys());
  check_rows(group_keys());
}

// What a row shows as an example must be readable where it stands.
void check_examples(std::span<const Key> keys, const std::string& prefix) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    ParsedJob job;
    job.spec.groups = {GroupSpec{}};
    apply_overrides(job, {{path, std::string(key.example), "test"}});
    EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
    if (key.type == KeyType::map) check_examples(key.children, path + ".");
  }
}

TEST(JobKeys, ExamplesAreReadable) {
  check_examples(job_keys(), "");
  check_examples(group_keys(), "groups.worker.");
}

template <typename Enum>
void check_choices(std::string_view name, std::span<const Key> keys) {
  const Key* key = find_key(keys, name);
  ASSERT_NE(key, nullptr);
  for (size_t i = 0; i < key->choices.size(); ++i) EXPECT_EQ(to_string(static_cast<Enum>(i)), key->choices[i]);
}

TEST(JobKeys, ChoicesStandInTheOrderOfTheirEnums) {
  check_choices<Framework>("framework", job_keys());
  check_choices<World>("world", job_keys());
  check_choices<BackendKind>("backend", job_keys());
  check_choices<SuccessRule>("success", group_keys());
}

TEST(JobKeys, ConfigurationTakesDefaultsOnly) {
  std::vector<std::string> names;
  for (const Key& key : config_keys()) names.emplace_back(key.name);
  EXPECT_EQ(join(names, " "), "worker env labels restarts timeouts logs backend");
}

TEST(JobKeys, OtherToolsWordsAreFamiliar) {
  EXPECT_EQ(familiar_path("nnodes"), "nodes");
  EXPECT_EQ(familiar_path("gpus"), "worker.gpus");
  EXPECT_EQ(familiar_path("max_restarts"), "restarts.limit");
  EXPECT_EQ(familiar_path("first"), "restarts.backoff.first");
  EXPECT_EQ(familiar_path("name"), "name");
  EXPECT_FALSE(familiar_path("colour"));
}

}  // namespace
}  // namespace muster
