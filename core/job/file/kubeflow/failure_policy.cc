// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/failure_policy.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/job_spec.h"

namespace muster {
namespace {

// The reason of a Job that failed because of its podFailurePolicy, and of one whose pod failed in another way.
constexpr const char* kByPolicy = "PodFailurePolicy";
constexpr const char* kByPod = "BackoffLimitExceeded";

// Lists of `restarts`.
constexpr const char* kNever = "never_on";
constexpr const char* kAlways = "always_on";

// A failure that podFailurePolicy names, as a rule of `restarts` does: "exit 3", "lost".
struct PodFailure {
  std::string word;
  std::string action;  // FailJob, Ignore
  SourceRange where;
};

bool has_text(const YamlNode* list, std::string_view text) {
  return list != nullptr &&
         std::any_of(list->items.begin(), list->items.end(), [&](const YamlNode& each) { return each.text == text; });
}

void check_word(Reading& reading, const YamlNode* word, const std::vector<std::string>& known) {
  if (word == nullptr || std::find(known.begin(), known.end(), word->text) != known.end()) return;
  reading.error("E1802", word->where, "`" + escaped(word->text) + "` is not one of " + join(known, ", "),
                "Kubernetes would reject it too", nearest(word->text, known).value_or(""));
}

// A shell and Kubernetes show a signal as the code 128 + its number.
constexpr int kSignals = 128;

// The failures that one rule of podFailurePolicy names.
std::vector<std::string> words_of(Reading& reading, const YamlNode& rule) {
  std::vector<std::string> words;
  const YamlNode* codes = child(&rule, "onExitCodes");
  const YamlNode* values = child(codes, "values");
  if (codes != nullptr && text_of(child(codes, "operator")) != "In")
    reading.error("E1803", codes->where, "muster knows failures by their exit codes only with the operator In",
                  "list the codes");
  for (size_t at = 0; values != nullptr && at < values->items.size(); ++at) {
    words.push_back("exit " + values->items[at].text);
    const auto code = static_cast<int>(std::min<uint64_t>(number_in(&values->items[at]).value_or(0), kSignals * 2));
    const std::string signal = code > kSignals ? signal_name(code - kSignals) : "";
    if (signal_number(signal)) words.push_back(signal);
  }
  const YamlNode* conditions = child(&rule, "onPodConditions");
  for (size_t at = 0; conditions != nullptr && at < conditions->items.size(); ++at) {
    const YamlNode& condition = conditions->items[at];
    if (text_of(child(&condition, "type")) == "DisruptionTarget")
      words.emplace_back("lost");
    else
      reading.error("E1803", condition.where, "muster knows no condition of a pod but DisruptionTarget",
                    "remove the condition, or the rule");
  }
  return words;
}

// `spec`: of a Job.
void check_container(Reading& reading, const YamlNode& spec, const YamlNode& rule) {
  const YamlNode* pod = find(&spec, {"template", "spec"});
  std::vector<std::string> names;
  for (const char* list : {"containers", "initContainers"}) {
    const YamlNode* containers = child(pod, list);
    for (size_t at = 0; containers != nullptr && at < containers->items.size(); ++at)
      names.push_back(text_of(child(&containers->items[at], "name")));
  }
  const YamlNode* name = find(&rule, {"onExitCodes", "containerName"});
  if (name != nullptr && !is_empty(*name)) check_word(reading, name, names);
}

// The first rule that names a failure wins. Count is as without a rule.
std::vector<PodFailure> pod_failures(Reading& reading, const YamlNode* spec) {
  std::vector<PodFailure> failures;
  std::set<std::string> named;
  const YamlNode* rules = find(spec, {"podFailurePolicy", "rules"});
  for (size_t at = 0; rules != nullptr && at < rules->items.size(); ++at) {
    const YamlNode& rule = rules->items[at];
    const std::string action = text_of(child(&rule, "action"));
    if (action == "FailIndex")
      reading.error("E1803", rule.where, "muster does not have the action FailIndex of podFailurePolicy",
                    "all ranks restart together; use FailJob, Ignore or Count");
    else
      check_word(reading, child(&rule, "action"), {"FailJob", "Ignore", "Count"});
    check_container(reading, *spec, rule);
    for (const std::string& word : words_of(reading, rule)) {
      if (named.insert(word).second && action != "Count") failures.push_back({word, action, rule.where});
    }
  }
  return failures;
}

// `list`: kNever, kAlways.
void add_rule(YamlNode& job, const std::string& list, const std::string& text, const SourceRange& where) {
  list_at(map_at(job, "restarts", where), list, where).items.push_back(text_node(text, where));
}

// The first rule for a failure of the group; null: none.
const YamlNode* rule_for(const YamlNode* rules, const std::string& group, const char* reason) {
  for (size_t at = 0; rules != nullptr && at < rules->items.size(); ++at) {
    const YamlNode& rule = rules->items[at];
    const YamlNode* targets = child(&rule, "targetReplicatedJobs");
    const YamlNode* reasons = child(&rule, "onJobFailureReasons");
    const bool of_group = targets == nullptr || targets->items.empty() || has_text(targets, group);
    const bool of_reason = reasons == nullptr || reasons->items.empty() || has_text(reasons, reason);
    if (of_group && of_reason) return &rule;
  }
  return nullptr;
}

// The list of `restarts` that has the same effect as the rule; empty: neither, the restart counts.
std::string list_of(const YamlNode* rule) {
  const std::string action = text_of(child(rule, "action"));
  if (action == "FailJobSet") return kNever;
  return action.ends_with("AndIgnoreMaxRestarts") ? kAlways : "";
}

// Reports words that JobSet does not have, and notes what is not the same in muster.
void check_rules(Reading& reading, const YamlNode* rules, const YamlNode* jobs) {
  std::vector<std::string> names;
  for (size_t at = 0; jobs != nullptr && at < jobs->items.size(); ++at)
    names.push_back(text_of(child(&jobs->items[at], "name")));
  for (size_t at = 0; rules != nullptr && at < rules->items.size(); ++at) {
    const YamlNode* action = child(&rules->items[at], "action");
    check_word(reading, action,
               {"FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob",
                "RestartJobAndIgnoreMaxRestarts"});
    if (text_of(action).starts_with("RestartJob") && !text_of(action).starts_with("RestartJobSet"))
      reading.note(action->where, "`" + action->text + "` restarts all ranks of the job, not only those of one Job");
    if (const YamlNode* targets = child(&rules->items[at], "targetReplicatedJobs"))
      for (const YamlNode& each : targets->items) check_word(reading, &each, names);
    if (const YamlNode* reasons = child(&rules->items[at], "onJobFailureReasons"))
      for (const YamlNode& each : reasons->items)
        check_word(reading, &each,
                   {kByPod, kByPolicy, "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded"});
  }
}

// With restarts of its own, a Job fails only after them.
void note_own_restarts(Reading& reading, const YamlNode& replicated) {
  const YamlNode* limit = find(&replicated, {"template", "spec", "backoffLimit"});
  if (number_in(limit).value_or(0) > 0)
    reading.note(limit->where, "the rule of failurePolicy acts on the first failure, not after `backoffLimit` of them");
}

}  // namespace

void read_pod_failure_policy(Reading& reading, YamlNode& job, const YamlNode& spec) {
  for (const PodFailure& failure : pod_failures(reading, &spec))
    add_rule(job, failure.action == "Ignore" ? kAlways : kNever, failure.word, failure.where);
}

void read_failure_policy(Reading& reading, YamlNode& job, const YamlNode& spec, const YamlNode& replicated,
                         const std::string& group) {
  const YamlNode* rules = find(&spec, {"failurePolicy", "rules"});
  const std::string name = text_of(child(&replicated, "name"));
  check_rules(reading, rules, child(&spec, "replicatedJobs"));
  // Without restarts of the JobSet, a Job that failed ends it.
  const bool ends = number_in(find(&spec, {"failurePolicy", "maxRestarts"})).value_or(0) == 0;
  const YamlNode* usual = rule_for(rules, name, kByPod);
  const std::string usual_list = list_of(usual);
  if (!usual_list.empty()) add_rule(job, usual_list, "group " + group, usual->where);
  if (!usual_list.empty()) note_own_restarts(reading, replicated);
  for (const PodFailure& failure : pod_failures(reading, find(&replicated, {"template", "spec"}))) {
    const YamlNode* rule = rule_for(rules, name, kByPolicy);
    std::string list = failure.action == "Ignore" ? kAlways : list_of(rule);
    if (list.empty() && ends) list = kNever;
    const bool weaker = usual_list == kNever || list.empty();
    if (list == usual_list) continue;
    if (!usual_list.empty() && weaker)
      reading.error("E1803", failure.where,
                    "all failures of `" + escaped(group) + "` have a rule that wins over this one in muster",
                    "remove the rule, convert the manifest (muster convert), and edit `restarts.never_on` and "
                    "`restarts.always_on` of the job file");
    else
      add_rule(job, list, "group " + group + " " + failure.word, failure.where);
  }
}

}  // namespace muster
