// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_keys.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

void check_rows(std::span<const Key> keys) {
  std::set<std::string_view> names;
  for (const Key& key : keys) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_TRUE(key.doc.ends_with(".")) << key.name;
    EXPECT_FALSE(key.example.empty()) << key.name;
    EXPECT_EQ(key.read == nullptr, key.type == KeyType::map && !has_short_form(key)) << key.name;
    const bool has_children = key.type == KeyType::map || key.type == KeyType::env || key.type == KeyType::hosts ||
                              key.type == KeyType::volumes;
    EXPECT_EQ(key.children.empty(), !has_children) << key.name;
    EXPECT_EQ(key.choices.empty(), key.type != KeyType::choice) << key.name;
    check_rows(key.children);
  }
}

TEST(JobKeys, RowsAreWhole) {
  check_rows(job_keys());
  check_rows(group_keys());
}

// The example of each row must be a valid value of its key.
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
  check_choices<PullPolicy>("pull_policy", kKubernetesKeys);
  check_choices<PodGang>("gang", kKubernetesKeys);
}

TEST(JobKeys, ConfigurationTakesDefaultsOnly) {
  std::vector<std::string> names;
  for (const Key& key : config_keys()) names.emplace_back(key.name);
  EXPECT_EQ(
      join(names, " "),
      "runtime worker in_image env labels restarts timeouts hangs leftovers logs store warm backend hosts placement "
      "kubernetes busy_gpus");
}

TEST(JobKeys, OtherToolsWordsAreFamiliar) {
  EXPECT_EQ(familiar_path("nnodes"), "nodes");
  EXPECT_EQ(familiar_path("gpus"), "worker.gpus");
  EXPECT_EQ(familiar_path("resources"), "worker");
  EXPECT_EQ(familiar_path("max_restarts"), "restarts.limit");
  EXPECT_EQ(familiar_path("first"), "restarts.backoff.first");
  EXPECT_EQ(familiar_path("name"), "name");
  EXPECT_FALSE(familiar_path("colour"));
}

void add_paths(std::span<const Key> keys, const std::string& prefix, std::set<std::string>& paths) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    paths.insert(path);
    if (key.type == KeyType::map && prefix != "groups.") add_paths(key.children, path + ".", paths);
    if (key.type == KeyType::hosts || key.type == KeyType::volumes) add_paths(key.children, path + ".", paths);
    if (key.type == KeyType::env && prefix.empty()) add_paths(key.children, path + ".NAME.", paths);
  }
}

std::string in_backticks(const std::string& cell) {
  const size_t first = cell.find('`');
  return first == std::string::npos ? "" : cell.substr(first + 1, cell.rfind('`') - first - 1);
}

// key → example, from the tables of docs/reference/job-file*.md.
std::map<std::string, std::string> documented() {
  std::map<std::string, std::string> rows;
  constexpr size_t columns_and_ends = 6;
  for (const auto& page : std::filesystem::directory_iterator(std::string(MUSTER_SOURCE_DIR) + "/docs/reference")) {
    if (!page.path().filename().string().starts_with("job-file")) continue;
    std::ifstream file(page.path());
    for (std::string line; std::getline(file, line);) {
      const std::vector<std::string> cells = split(line, '|');
      if (cells.size() == columns_and_ends && cells[1].starts_with(" `"))
        rows[in_backticks(cells[1])] = in_backticks(cells[4]);
    }
  }
  return rows;
}

TEST(JobKeys, EachHasItsRowInTheManual) {
  std::set<std::string> keys;
  add_paths(job_keys(), "", keys);
  add_paths(group_keys(), "groups.", keys);
  std::set<std::string> rows;
  for (const auto& row : documented()) rows.insert(row.first);
  EXPECT_EQ(rows, keys);
}

TEST(JobKeys, ExamplesOfTheManualAreJobFiles) {
  for (const auto& [key, example] : documented()) {
    const std::string text = example + (example.find("command") == std::string::npos ? "\ncommand: [./train]\n" : "\n");
    const auto found = check_job(parse_job(text, "job.yaml"), "job.yaml");
    EXPECT_TRUE(found.empty()) << key << ":\n" << render_diagnostics(found, text, false);
    EXPECT_NE(example.find(key.substr(key.rfind('.') + 1)), std::string::npos) << key << ": " << example;
  }
}

}  // namespace
}  // namespace muster
