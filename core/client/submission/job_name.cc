// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_name.h"

#include <cctype>
#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_word = 34;  // 40 characters in all

// 32^5 suffixes: with a thousand kept jobs of one program, the chance that two have the same name is 1 in 70.
constexpr std::string_view suffix_digits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr int suffix_length = 5;

bool interprets(const std::string& program) {
  return program.starts_with("python") || program == "bash" || program == "sh" || program == "env";
}

std::string cleaned(const std::string& word) {
  std::string clean;
  for (const char c : word) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) clean += lower;
    if (!plain && !clean.empty() && clean.back() != '-') clean += '-';
  }
  clean = clean.substr(0, longest_word);
  while (clean.ends_with('-')) clean.pop_back();
  if (clean.empty()) return "job";
  return std::isdigit(static_cast<unsigned char>(clean[0])) != 0 ? ("job-" + clean).substr(0, longest_word) : clean;
}

}  // namespace

std::string program_word(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  const std::string program = fs::path(command[0]).filename();
  if (!interprets(program)) return fs::path(program).stem();
  for (size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "-m" && i + 1 < command.size()) return command[i + 1].substr(command[i + 1].rfind('.') + 1);
    if (command[i] == "-c") break;
    if (!command[i].starts_with("-")) return fs::path(command[i]).stem();
  }
  return program.starts_with("python") ? "python" : program;
}

std::string file_word(const std::string& path) {
  if (path.empty() || path == "-") return "";
  const std::string stem = fs::path(path).stem();
  if (stem != "job" && stem != "muster") return stem;
  const std::string folder = fs::absolute(path).lexically_normal().parent_path().filename();
  return folder.empty() ? stem : folder;
}

std::string plain_job_name(const std::string& word) { return cleaned(word); }

std::string make_job_name(const std::string& word, Random& random) {
  std::string name = cleaned(word) + "-";
  for (int i = 0; i < suffix_length; ++i) name += suffix_digits[random.below(suffix_digits.size())];
  return name;
}

}  // namespace muster
