// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/job_settings.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/names.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kKueueQueue = "kueue.x-k8s.io/queue-name";

void add_texts(YamlNode& job, const YamlNode* texts, std::initializer_list<std::string_view> path) {
  if (texts == nullptr || texts->kind != Kind::map || texts->entries.empty()) return;
  YamlNode* map = &job;
  for (const std::string_view key : path) map = &map_at(*map, key, texts->where);
  for (const YamlEntry& entry : texts->entries) put(*map, entry.key, text_node(entry.value.text, entry.value.where));
}

// False, after reporting it, if the number is smaller. `node` may be null.
bool is_at_least(Reading& reading, const YamlNode* node, uint64_t low, const std::string& name,
                 const std::string& help = "") {
  const auto value = number_in(node);
  if (node == nullptr || node->kind != Kind::scalar || (value && *value >= low)) return true;
  if (!value && !node->text.starts_with('-')) return true;  // more than 64 bits
  reading.error(
      "E1802", node->where,
      "`" + name + "` must be a whole number of at least " + std::to_string(low) + ", not " + escaped(node->text),
      help);
  return false;
}

// With 0 seconds a job would end at once in Kubernetes. In muster it has no limit then.
const YamlNode* deadline_in(Reading& reading, const YamlNode* spec) {
  const YamlNode* deadline = child(spec, "activeDeadlineSeconds");
  return is_at_least(reading, deadline, 1, "activeDeadlineSeconds", "without it, the job has no time limit") ? deadline
                                                                                                             : nullptr;
}

// Kubernetes allows longer names than muster, and dots in them.
std::string name_of_job(Reading& reading, const YamlNode& name) {
  constexpr size_t kLongestOfKubernetes = 253;
  const bool legal = !name.text.empty() && name.text.size() <= kLongestOfKubernetes &&
                     name.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
  const std::string shorter = legal && !is_name(name.text) ? nearest_name(name.text) : "";
  if (shorter.empty()) return name.text;
  reading.note(name.where, "the job is called " + shorter +
                               ", because names in muster have at most 40 characters, a letter first, and no dots");
  return shorter;
}

}  // namespace

std::optional<uint64_t> number_in(const YamlNode* node) {
  if (node == nullptr || node->kind != Kind::scalar) return std::nullopt;
  uint64_t value = 0;
  const char* end = node->text.data() + node->text.size();
  const auto [stop, error] = std::from_chars(node->text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void add_labels(const Reading& reading, YamlNode& job, const YamlNode* labels) {
  add_texts(job, labels, {"labels"});
  if (!reading.in_cluster()) return;
  add_texts(job, labels, {"kubernetes", "labels"});
  const YamlNode* queue = child(labels, kKueueQueue);
  if (queue != nullptr && find(&job, {"kubernetes", "queue"}) == nullptr)
    put(map_at(job, "kubernetes", queue->where), "queue", text_node(queue->text, queue->where));
}

void add_annotations(const Reading& reading, YamlNode& job, const YamlNode* annotations) {
  if (reading.in_cluster()) add_texts(job, annotations, {"kubernetes", "annotations"});
}

void read_metadata(Reading& reading, YamlNode& job, const YamlNode& object) {
  const YamlNode* metadata = child(&object, "metadata");
  if (const YamlNode* name = child(metadata, "name"))
    put(job, "name", text_node(name_of_job(reading, *name), name->where));
  add_labels(reading, job, child(metadata, "labels"));
  add_annotations(reading, job, child(metadata, "annotations"));
  const YamlNode* space = child(metadata, "namespace");
  if (space != nullptr && reading.in_cluster()) put(map_at(job, "kubernetes", space->where), "namespace", *space);
}

void read_limits(Reading& reading, YamlNode& job, const YamlNode* spec) {
  if (const YamlNode* deadline = deadline_in(reading, spec))
    put(map_at(job, "timeouts", deadline->where), "run", plain_node(deadline->text + "s", deadline->where));
  const YamlNode* ttl = child(spec, "ttlSecondsAfterFinished");
  if (is_at_least(reading, ttl, 0, "ttlSecondsAfterFinished") && ttl != nullptr && reading.in_cluster())
    put(map_at(job, "kubernetes", ttl->where), "ttl", plain_node(ttl->text + "s", ttl->where));
  const YamlNode* suspend = child(spec, "suspend");
  if (!is_true(suspend)) return;
  YamlNode& place = reading.in_cluster() ? map_at(job, "kubernetes", suspend->where) : job;
  put(place, reading.in_cluster() ? "suspend" : "hold", plain_node("true", suspend->where));
}

void limit_run_time(YamlNode& job, uint64_t seconds, const SourceRange& where) {
  YamlNode& timeouts = map_at(job, "timeouts", where);
  YamlNode* there = child(&timeouts, "run");  // as read_limits() writes it
  const YamlNode number = plain_node(there == nullptr ? "" : there->text.substr(0, there->text.find('s')), where);
  if (number_in(&number).value_or(seconds) >= seconds)
    put(timeouts, "run", plain_node(std::to_string(seconds) + "s", where));
}

void check_manager(Reading& reading, const YamlNode* spec, std::string_view usual) {
  const YamlNode* manager = child(spec, "managedBy");
  if (manager == nullptr || manager->text.empty()) return;
  if (manager->text == usual)
    reading.note(manager->where, "`managedBy` has no effect: muster runs the job");
  else
    reading.error("E1803", manager->where,
                  "`managedBy` gives the job to another controller, `" + escaped(manager->text) + "`",
                  "remove `managedBy`");
}

void read_limits_of_job(Reading& reading, YamlNode& job, const YamlNode* spec) {
  check_manager(reading, spec, kJobController);
  const YamlNode* deadline = deadline_in(reading, spec);
  if (const auto seconds = number_in(deadline)) limit_run_time(job, *seconds, deadline->where);
}

void add_restarts(YamlNode& job, const YamlNode* count) {
  const auto limit = number_in(count);
  if (!limit) return;
  YamlNode& restarts = map_at(job, "restarts", count->where);
  const auto there = number_in(child(&restarts, "limit"));
  if (!there || *limit > *there)
    put(restarts, "limit", plain_node(std::to_string(std::min(*limit, kLargestCount)), count->where));
}

void read_restarts(Reading& reading, YamlNode& job, const YamlNode* count, const std::string& name) {
  if (is_at_least(reading, count, 0, name)) add_restarts(job, count);
}

std::optional<uint64_t> count_at_least(Reading& reading, const YamlNode* node, uint64_t low, const std::string& name) {
  if (node == nullptr || node->kind == Kind::null) return std::nullopt;
  const auto value = number_in(node);
  if (value && *value >= low && *value <= kLargestCount) return value;
  if (value || node->kind == Kind::scalar)
    reading.error("E1802", node->where,
                  "`" + name + "` must be a whole number from " + std::to_string(low) + " to " +
                      std::to_string(kLargestCount) + ", not " + escaped(node->text));
  return std::nullopt;
}

}  // namespace muster
