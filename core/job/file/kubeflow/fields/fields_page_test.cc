// SPDX-License-Identifier: Apache-2.0
// The tables of fields against the published schemas (test/golden/kubeflow/crd_fields.txt), and the pages made of them.
// MUSTER_REWRITE_GOLDEN=1 writes the tables into docs/reference again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/job/file/kubeflow/fields/fields_page.h"

namespace muster {
namespace {

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

ManifestFields fields_of(const std::string& kind) {
  for (const FieldsTable& table : fields_tables()) {
    if (table.name == kind) return table.fields;
  }
  return {};
}

// Whether the path has a row, or a row above it covers all below it.
bool is_covered(ManifestFields fields, const std::vector<std::string>& path) {
  for (const std::string& name : path) {
    const ManifestField* field = name == "*" && !fields.empty() ? &fields.front() : find_field(fields, name);
    if (field == nullptr) return false;
    if (field->children.empty()) return true;
    fields = field->children;
  }
  return true;
}

TEST(ManifestFields, EveryFieldOfThePublishedSchemas_HasARow) {
  std::istringstream lines(read_file(std::string(MUSTER_SOURCE_DIR) + "/test/golden/kubeflow/crd_fields.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const ManifestFields fields = fields_of(line.substr(0, space));
    ASSERT_FALSE(fields.empty()) << line;
    EXPECT_TRUE(is_covered(fields, split(line.substr(space + 1), '.'))) << line;
    ++count;
  }
  EXPECT_GT(count, 500u);
}

TEST(ManifestFields, EveryRow_SaysWhatBecomesOfTheField) {
  for (const FieldsTable& table : fields_tables()) {
    const std::string text = fields_markdown(table);
    EXPECT_EQ(text.find("|  |"), std::string::npos) << table.name << text;
  }
}

// The pages have each table between `<!-- KIND -->` and `<!-- end of KIND -->`.
TEST(ManifestFields, PagesOfTheReference_HaveTheTables) {
  const std::string folder = std::string(MUSTER_SOURCE_DIR) + "/docs/reference";
  const bool rewrite = std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr;
  for (const FieldsTable& table : fields_tables()) {
    const std::string begin = "<!-- " + table.name + " -->\n";
    const std::string end = "<!-- end of " + table.name + " -->";
    bool found = false;
    for (const auto& page : std::filesystem::directory_iterator(folder)) {
      if (!page.path().filename().string().starts_with("kubeflow")) continue;
      std::string text = read_file(page.path().string());
      const size_t first = text.find(begin);
      const size_t last = text.find(end);
      if (first == std::string::npos || last == std::string::npos) continue;
      found = true;
      const std::string wanted = "\n" + fields_markdown(table) + "\n";
      const size_t from = first + begin.size();
      if (rewrite) {
        std::ofstream(page.path(), std::ios::binary) << text.replace(from, last - from, wanted);
      } else {
        EXPECT_EQ(text.substr(from, last - from), wanted) << page.path();
      }
    }
    EXPECT_TRUE(found) << "no page has " << begin;
  }
}

}  // namespace
}  // namespace muster
