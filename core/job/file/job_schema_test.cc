// SPDX-License-Identifier: Apache-2.0
// test/e2e checks with a real validator that the schema is valid and agrees with the parser.
#include "core/job/file/job_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/job/file/job_keys.h"

namespace muster {
namespace {

using Json = nlohmann::json;

// An editor would mark a key that the schema does not have as an error.
void expect_keys(const Json& schema, std::span<const Key> keys, const std::string& path) {
  for (const Key& key : keys) {
    const std::string name(key.name);
    ASSERT_TRUE(schema.at("properties").contains(name)) << path << name;
    const Json& row = schema.at("properties").at(name);
    EXPECT_TRUE(row.at("description").get<std::string>().starts_with(key.doc)) << path << name;
    EXPECT_EQ(row.at("examples").size(), 1u) << path << name;
    EXPECT_EQ(key.type == KeyType::choice ? row.at("enum").size() : 0, key.choices.size()) << path << name;
    if (key.type == KeyType::map) expect_keys(row, key.children, path + name + ".");
  }
}

TEST(JobSchema, HasEveryKeyOfTheTable) {
  const Json schema = Json::parse(schema_json(SchemaKind::job));
  expect_keys(schema, job_keys(), "");
  expect_keys(schema.at("properties").at("groups").at("items"), group_keys(), "groups.");
}

TEST(JobSchema, ConfigurationAndRuntimesHaveTheirOwn) {
  const Json config = Json::parse(schema_json(SchemaKind::config));
  EXPECT_EQ(config.at("properties").size(), config_keys().size());
  const Json runtime = Json::parse(schema_json(SchemaKind::runtime));
  EXPECT_EQ(runtime.at("properties").size(), job_keys().size() - 1);
  EXPECT_FALSE(runtime.at("properties").contains("name"));
}

TEST(JobSchema, DefaultsAreThoseOfTheSpec) {
  const Json keys = Json::parse(schema_json(SchemaKind::job)).at("properties");
  EXPECT_EQ(keys.at("restarts").at("properties").at("grace").at("default"), "2s");
  EXPECT_EQ(keys.at("worker").at("properties").at("gpus").at("default"), "auto");
  EXPECT_EQ(keys.at("nodes").at("default"), 1);
  EXPECT_FALSE(keys.at("command").contains("default"));
  EXPECT_FALSE(keys.at("framework").contains("default"));
}

}  // namespace
}  // namespace muster
