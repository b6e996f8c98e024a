// SPDX-License-Identifier: Apache-2.0
// muster_convert_rate COUNT: converts the manifest on standard input COUNT times to a job file, each time from its text,
// and checks the job. Prints the seconds that this took.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "core/client/view/json.h"
#include "core/job/file/job_yaml.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/tree/tree_text.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

// The job file; empty: the manifest has a problem.
std::string converted(const std::string& text) {
  const YamlDocuments read = load_yaml_documents(text, "trainjob.yaml");
  if (read.problem) return "";
  ManifestJob job = read_manifest(read.roots, {.origin = "trainjob.yaml"});
  if (has_errors(job.diagnostics)) return "";
  std::string file = yaml_from_json(tree_json(short_form(job.tree)));
  const ParsedJob parsed = parse_job_tree(std::move(job.tree), "trainjob.yaml", {});
  return has_errors(check_job(parsed, "trainjob.yaml")) ? "" : file;
}

int convert_often(unsigned long count) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long i = 0; i < count; ++i) {
    if (!converted(text).empty()) continue;
    std::cerr << "the manifest has a problem: see muster convert\n";
    return 1;
  }
  std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << "\n";
  return 0;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  if (count != 2) return 2;
  return muster::convert_often(std::strtoul(words[1], nullptr, 10));
}
