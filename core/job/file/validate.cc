// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/validate.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/json_document.h"
#include "core/job/document/yaml_prescan.h"
#include "core/job/file/job_problems.h"
#include "core/job/literal_variables.h"
#include "core/job/names.h"
#include "core/job/rules/framework_rules.h"
#include "core/job/rules/image_rules.h"
#include "core/job/rules/restart_rules.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

constexpr uint64_t kMostRanks = 100'000;
constexpr size_t kMostGroups = 1000;
constexpr size_t kLongestString = 128 * 1024;  // of one argument or variable with its NUL (execve(2), MAX_ARG_STRLEN)
// Of all arguments or all variables with their pointers: what Linux takes whatever the stack limit is (execve(2)).
constexpr size_t kMostProgramBytes = 6 << 20;
// Of the commands and variables of all ranks of a node, which are one message.
constexpr size_t kMostNodeBytes = 32 << 20;
constexpr uint32_t kUsualRanks = 16;  // of a node whose number of ranks is not known yet
constexpr size_t kLongestLabel = 1024;
constexpr size_t kMostWordsShown = 30;

class Validator {
 public:
  Validator(const JobSpec& spec, const std::string& origin, const Places& places)
      : spec_(spec),
        origin_(origin),
        found_(origin, places) {}

  std::vector<Diagnostic> run() {
    check_version();
    if (!spec_.name.empty()) check_name(spec_.name, "name", "E1205", "job");
    check_groups();
    check_size();
    check_env(spec_.env, "env");
    check_labels();
    check_restarts();
    check_times();
    check_custom();
    add_contradictions(framework_contradictions(spec_));
    add_contradictions(image_contradictions(spec_));
    check_tty();
    check_workdir();
    if (found_.empty()) check_storable();
    return found_.take();
  }

  std::vector<Diagnostic> run_for_framework() {
    add_contradictions(framework_contradictions(spec_));
    return found_.take();
  }

 private:
  Diagnostic& add(const char* code, const std::string& path, std::string message, std::string help = "") {
    return found_.add(code, path, std::move(message), std::move(help));
  }

  void check_version() {
    if (spec_.version != 1)
      add("E1210", "version",
          "the job has format version " + std::to_string(spec_.version) + "; this muster reads version 1");
  }

  void check_name(const std::string& name, const std::string& path, const char* code, const std::string& what) {
    if (is_name(name)) return;
    Diagnostic& bad = add(code, path, "`" + name + "` is not a valid name for a " + what,
                          "use at most 40 characters: a-z, 0-9 and -, first a letter, last a letter or digit");
    const std::string meant = nearest_name(name);
    if (!is_name(meant)) return;
    suggest(bad, meant);
  }

  void check_groups() {
    if (spec_.groups.empty()) add("E1305", "groups", "the job has no group of workers", "add a `command`");
    if (spec_.groups.size() > kMostGroups) {
      add("E1307", "groups", "the job has more than " + std::to_string(kMostGroups) + " groups");
      return;
    }
    std::set<std::string> names;
    for (size_t i = 0; i < spec_.groups.size(); ++i) {
      check_group(spec_.groups[i], "groups." + std::to_string(i));
      check_group_name(spec_.groups[i], "groups." + std::to_string(i), names);
    }
    const bool ignored = std::all_of(spec_.groups.begin(), spec_.groups.end(),
                                     [](const GroupSpec& group) { return !is_awaited(group.success); });
    if (ignored && !spec_.groups.empty()) {
      add("E1311", "groups", "every group has `success: ignore` or `background`, so no group can end the job");
    }
  }

  void check_group_name(const GroupSpec& group, const std::string& path, std::set<std::string>& names) {
    if (group.name.empty()) {
      add("E1206", path, "a group has no name", "if a job has several groups, each of them needs a `name`");
      return;
    }
    check_name(group.name, path + ".name", "E1206", "group");
    if (!names.insert(group.name).second) add("E1207", path + ".name", "two groups have the name `" + group.name + "`");
  }

  void check_group(const GroupSpec& group, const std::string& path) {
    const bool empty = group.command.empty() || group.command[0].empty();
    if (empty) add("E1304", path + ".command", "`command` is missing", "such as  command: [python, train.py]");
    check_command_size(group, path + ".command");
    if (group.min_nodes == 0 || (!group.workers.automatic && group.workers.count == 0)) {
      add("E1103", path + (group.min_nodes == 0 ? ".nodes" : ".workers"),
          "a group needs at least one node and one worker");
    }
    if (group.min_nodes > group.max_nodes) {
      add("E1301", path + ".nodes",
          "`nodes` has its smaller number last: " + std::to_string(group.min_nodes) + ".." +
              std::to_string(group.max_nodes));
    }
    check_env(group.env, path + ".env");
    check_node_size(group, path + ".command");
  }

  void check_command_size(const GroupSpec& group, const std::string& path) {
    for (size_t i = 0; i < group.command.size(); ++i) {
      if (!is_text(group.command[i])) return report_strange_word(group.command[i], i, path);
      if (group.command[i].size() >= kLongestString) return report_long_word(group.command[i], i, path);
    }
    const size_t bytes = bytes_of(group.command);
    if (bytes > kMostProgramBytes) {
      add("E1309", path,
          "`command` has " + count_of(group.command.size(), "word") + " (" + humane_size(bytes) + "), more than " +
              humane_size(kMostProgramBytes),
          "name a folder instead of each file in it, and put long texts into a file beside the program");
    }
  }

  // As execve(2) counts them.
  static size_t bytes_of(const std::vector<std::string>& words) {
    size_t bytes = 0;
    for (const std::string& word : words) bytes += word.size() + 1 + sizeof(char*);
    return bytes;
  }

  static size_t bytes_of(const std::map<std::string, EnvValue>& env) {
    size_t bytes = 0;
    for (const auto& [name, value] : env) bytes += name.size() + value.literal.size() + 2 + sizeof(char*);
    return bytes;
  }

  void check_node_size(const GroupSpec& group, const std::string& path) {
    const size_t ranks = group.workers.automatic ? kUsualRanks : group.workers.count;
    const size_t bytes = (bytes_of(group.command) + bytes_of(group.env) + bytes_of(spec_.env)) * ranks;
    if (ranks < 2 || ranks > kMostRanks || bytes <= kMostNodeBytes) return;
    add("E1309", path,
        "the arguments and variables of the " + count_of(ranks, "rank") + " of a node have " + humane_size(bytes) +
            ", more than " + humane_size(kMostNodeBytes),
        "name a folder instead of each file in it, and put long texts into a file beside the program");
  }

  static std::string name_of_word(size_t index) {
    return index == 0 ? "the program of `command`" : "argument " + std::to_string(index) + " of `command`";
  }

  void report_long_word(const std::string& word, size_t index, const std::string& path) {
    add("E1309", path,
        name_of_word(index) + " has " + humane_size(word.size() + 1) + "; Linux takes at most " +
            humane_size(kLongestString) + " in one argument",
        "put long texts into a file beside the program");
  }

  void report_strange_word(const std::string& word, size_t index, const std::string& path) {
    add("E1310", path, name_of_word(index) + " is not UTF-8 text: " + escaped(word.substr(0, 80)),
        "muster stores commands as text: rename the file, or let the program read the name from another file");
  }

  void check_env(const std::map<std::string, EnvValue>& env, const std::string& path) {
    for (const auto& [name, value] : env) {
      const std::string at = path + "." + name;
      if (!is_variable(name))
        add("E1208", at, "`" + name.substr(0, 80) + "` is not a valid name for a variable",
            "use 1 to 256 bytes, without `=` and control characters");
      if (!is_text(value.literal)) add("E1310", at, "`" + name + "` is not UTF-8 text");
      if (const size_t bytes = name.size() + value.literal.size() + 2; bytes > kLongestString) {
        add("E1309", at,
            "the variable `" + name.substr(0, 80) + "` has " + humane_size(bytes) + "; Linux takes at most " +
                humane_size(kLongestString) + " in one variable",
            "put long texts into a file and its path into the variable");
      }
      if (value.secret) check_secret(name, *value.secret, at);
    }
    if (const size_t bytes = bytes_of(env); bytes > kMostProgramBytes) {
      add("E1309", path, "`env` has " + humane_size(bytes) + ", more than " + humane_size(kMostProgramBytes),
          "put long texts into a file and its path into the variable");
    }
  }

  void check_secret(const std::string& name, const SecretSource& secret, const std::string& at) {
    const std::string from = at + ".from";
    const bool usable =
        is_text(secret.where) && !has_control(secret.where) && secret.where.find_first_not_of(' ') != std::string::npos;
    const bool named = secret.kind != SecretSource::Kind::env || is_variable(secret.where);
    if (!usable || !named) add("E1111", from, "`" + name + "` does not say where its value comes from");
  }

  void check_labels() {
    for (const auto& [name, value] : spec_.labels) {
      const bool good = !name.empty() && name.size() <= kLongestKey && value.size() <= kLongestLabel && is_text(name) &&
                        is_text(value) && !has_control(name) && !has_control(value);
      if (!good)
        add("E1209", "labels." + name, "label `" + name.substr(0, 80) + "` is empty, too long or not plain text",
            "a label has a name of 1 to 256 bytes and a text of at most 1024 bytes");
    }
  }

  uint64_t ranks_of(const GroupSpec& group) const {
    return static_cast<uint64_t>(group.max_nodes) * (group.workers.automatic ? 1 : group.workers.count);
  }

  uint64_t total_ranks() const {
    uint64_t total = 0;
    for (const GroupSpec& group : spec_.groups) total += ranks_of(group);
    return total;
  }

  void check_size() {
    if (total_ranks() > kMostRanks) {
      add("E1307", "groups.0.nodes",
          "the job has " + std::to_string(total_ranks()) + " ranks, more than " + std::to_string(kMostRanks));
    }
  }

  void add_contradictions(const std::vector<Contradiction>& contradictions) {
    for (const Contradiction& each : contradictions) {
      Diagnostic& bad = add(each.code, each.path, each.message, each.help);
      if (!each.meant.empty()) suggest(bad, each.meant);
    }
  }

  void check_restarts() {
    const RestartSpec& restarts = spec_.restarts;
    add_contradictions(restart_contradictions(spec_));
    if (restarts.min_backoff > restarts.max_backoff) {
      add("E1301", "restarts.backoff.then",
          "`then` has its smaller duration last: " + format_duration(restarts.min_backoff) + ".." +
              format_duration(restarts.max_backoff));
    }
  }

  void check_times() {
    const RestartSpec& restarts = spec_.restarts;
    const TimeoutSpec& timeouts = spec_.timeouts;
    const Duration least =
        std::min({restarts.first_backoff, restarts.min_backoff, restarts.max_backoff, restarts.grace, restarts.window,
                  timeouts.queue, timeouts.start, timeouts.setup, timeouts.run, timeouts.stop});
    if (least < Duration(0)) add("E1103", "timeouts", "a duration cannot be negative");
    const Duration patience = spec_.hangs.after;
    if (patience != Duration(0) && patience < std::chrono::seconds(1))
      add("E1103", "hangs.after", "`after` must be at least 1s", "0 means no limit");
  }

  void check_custom() {
    if (spec_.framework != Framework::custom && !spec_.service.empty())
      add("E1313", "service",
          "`service` is for `framework: custom`; this job's framework is " + std::string(to_string(spec_.framework)),
          "set `framework: custom`");
    for (const auto& [name, text] : spec_.custom) {
      if (!is_variable(name))
        add("E1208", "custom." + name, "`" + name.substr(0, 80) + "` is not a valid name for a variable");
      if (const auto strange = strange_word_of_template(text))
        report_strange_template("custom." + name, name, *strange);
    }
    for (size_t i = 0; i < spec_.service.size(); ++i)
      check_word_of_service("service." + std::to_string(i), spec_.service[i]);
  }

  void check_word_of_service(const std::string& path, const std::string& text) {
    if (const auto strange = strange_word_of_template(text)) return report_strange_template(path, "service", *strange);
    for (const char* word : {"rank", "local_rank", "group_rank"}) report_word_of_rank(path, text, word);
    if (text.find("${port") != std::string::npos)
      add("E1314", path, "`${port}` is a port of a rank, but `service` is no rank",
          "let the service listen at ${master_port}; ranks get it by a template in `custom`");
  }

  void report_word_of_rank(const std::string& path, const std::string& text, const std::string& word) {
    if (text.find("${" + word + "}") == std::string::npos) return;
    add("E1314", path, "`${" + word + "}` is the number of a rank, but `service` is no rank",
        "leave it out: the service runs once, on the first node of the world");
  }

  void report_strange_template(const std::string& path, const std::string& name, const std::string& word) {
    const std::string message =
        word.empty() ? "a single `$` in the template of `" + name + "`"
                     : "unknown placeholder `${" + escaped(word) + "}` in the template of `" + name + "`";
    Diagnostic& bad =
        add("E1314", path, message,
            "known placeholders: " + short_list(template_words(), kMostWordsShown) + "; write $$ for a dollar sign");
    const auto near = nearest(word, template_words());
    if (!near) return;
    bad.label = "did you mean `${" + *near + "}`?";
    bad.suggestions = {"${" + *near + "}"};
  }

  void check_tty() {
    if (!spec_.tty_rank) return;
    const bool open_ended = std::any_of(spec_.groups.begin(), spec_.groups.end(),
                                        [](const GroupSpec& group) { return group.workers.automatic; });
    if (open_ended || *spec_.tty_rank < total_ranks()) return;
    add("E1306", "tty",
        "there is no rank " + std::to_string(*spec_.tty_rank) + ": the job has " + count_of(total_ranks(), "rank"));
  }

  void check_workdir() {
    const bool good = !spec_.workdir.empty() && spec_.workdir.size() < 4096 && is_text(spec_.workdir);
    if (!good) add("E1312", "workdir", "`workdir` is not a valid path", "`.` is the folder of the job file");
  }

  // Journals and messages carry the job as JSON, which must be readable again.
  void check_storable() {
    if (!load_json(spec_to_json(spec_), origin_).problem) return;
    add("E1309", "", "the job as a whole has more than " + humane_size(kMaxJsonBytes) + ", the most that muster stores",
        "put long texts into files beside the program");
  }

  const JobSpec& spec_;
  const std::string& origin_;
  JobProblems found_;
};

bool is_consequence(const Diagnostic& found, const std::vector<Diagnostic>& known) {
  const bool about_absence = found.code == "E1304" || found.code == "E1305" || found.code == "E1206";
  return std::any_of(known.begin(), known.end(), [&](const Diagnostic& each) {
    const bool same_place = each.where == found.where && each.where.line > 0;
    return each.severity == Severity::error && (same_place || about_absence);
  });
}

}  // namespace

std::vector<Diagnostic> validate(const JobSpec& spec, const std::string& origin, const Places& places) {
  return Validator(spec, origin, places).run();
}

std::vector<Diagnostic> check_framework(const JobSpec& spec, const std::string& origin, const Places& places) {
  return Validator(spec, origin, places).run_for_framework();
}

std::vector<Diagnostic> check_job(const ParsedJob& job, const std::string& origin) {
  std::vector<Diagnostic> all = job.diagnostics;
  for (Diagnostic& found : validate(job.spec, origin, job.places)) {
    if (!is_consequence(found, job.diagnostics)) all.push_back(std::move(found));
  }
  for (Diagnostic& found : literal_variables(job.spec, job.places)) all.push_back(std::move(found));
  sort_by_place(all);
  return all;
}

}  // namespace muster
