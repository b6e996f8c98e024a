// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_events.h"

#include <algorithm>
#include <array>

#include "backends/kubernetes/cluster/cluster_value.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Events = PodFacts::Events;

struct Event {
  std::string kind;  // of the object that it is about
  std::string name;
  std::string reason;
  std::string message;  // one line
  std::string time;     // RFC 3339, so it sorts as text
  bool warning = false;
};

// The text on one line of at most 400 bytes.
std::string one_line(std::string_view text) {
  constexpr size_t kMost = 400;
  std::string line;
  for (const std::string& part : split(text, '\n')) {
    if (!part.empty()) line += (line.empty() ? "" : " ") + part;
  }
  if (line.size() <= kMost) return line;
  line.resize(kMost);
  line.resize(kMost - begun_character(line));
  return line + "…";
}

// The newer API writes other times than the older one.
std::string time_of(const ClusterValue& event) {
  for (std::string time :
       {event.text({"series", "lastObservedTime"}), event.text({"lastTimestamp"}), event.text({"eventTime"})}) {
    if (!time.empty()) return time;
  }
  return event.text({"metadata", "creationTimestamp"});
}

std::vector<Event> read_events(std::string_view json) {
  std::vector<Event> events;
  for (const ClusterValue& each : ClusterValue::of(json).items({"items"}))
    events.push_back({each.text({"involvedObject", "kind"}), each.text({"involvedObject", "name"}),
                      each.text({"reason"}), one_line(each.text({"message"})), time_of(each),
                      each.text({"type"}) == "Warning"});
  return events;
}

bool is_volume_trouble(const std::string& reason) {
  return reason == "FailedMount" || reason == "FailedAttachVolume" || reason == "FailedMapVolume";
}

bool is_sandbox_trouble(const std::string& reason) {
  return reason == "FailedCreatePodSandBox" || reason == "NetworkNotReady" || reason == "FailedPrepareDynamicResources";
}

// The kubelet adds it to the event that names the reason.
bool is_summary(const Event& event) { return event.message.starts_with("Unable to attach or mount volumes"); }

void add_events_of_pod(PodFacts& pod, const std::vector<Event>& events) {
  const Event* found = nullptr;
  for (const Event& each : events) {
    if (each.kind != "Pod" || each.name != pod.name) continue;
    if (!is_volume_trouble(each.reason) && !is_sandbox_trouble(each.reason)) continue;
    const bool better = found == nullptr || (is_summary(*found) && !is_summary(each)) ||
                        (is_summary(*found) == is_summary(each) && each.time > found->time);
    if (better) found = &each;
  }
  if (found == nullptr) return;
  pod.waits = (is_volume_trouble(found->reason) ? "a volume: " : pod.waits + ": ") + found->message;
  pod.events = Events::none;
}

// The newest event of a claim says whether it has a volume.
void add_events_of_claims(PodFacts& pod, const std::vector<Event>& events) {
  const Event* found = nullptr;
  for (const std::string& claim : pod.claims) {
    const Event* newest = nullptr;
    for (const Event& each : events) {
      if (each.kind != "PersistentVolumeClaim" || each.name != claim) continue;
      if (newest == nullptr || each.time >= newest->time) newest = &each;
    }
    const bool waits = newest != nullptr && (newest->warning || newest->reason == "FailedBinding" ||
                                             newest->reason == "ExternalProvisioning");
    if (waits && (found == nullptr || newest->time > found->time)) found = newest;
  }
  if (found == nullptr) return;
  pod.waits = "the volume of the claim `" + found->name + "`: " + found->message;
  pod.events = Events::none;
}

bool any_asks(const std::vector<PodFacts>& pods, Events events) {
  return std::any_of(pods.begin(), pods.end(),
                     [&](const PodFacts& each) { return !each.leaving && each.events == events; });
}

}  // namespace

std::string read_refusal(std::string_view json, const std::string& job) {
  constexpr std::string_view kSaid = "Error creating: ";
  std::string newest;
  std::string message;
  for (const Event& each : read_events(json)) {
    if (each.kind != "Job" || !each.name.starts_with(job + "-") || each.time < newest) continue;
    newest = each.time;
    message = each.message;
  }
  return message.starts_with(kSaid) ? message.substr(kSaid.size()) : message;
}

std::vector<std::string> words_for_events(const std::vector<PodFacts>& pods, bool lacks_pods) {
  const char* which = nullptr;
  if (any_asks(pods, Events::of_claims)) {
    which = "involvedObject.kind=PersistentVolumeClaim";
  } else if (any_asks(pods, Events::of_pod)) {
    which = "type=Warning,involvedObject.kind=Pod";
  } else if (lacks_pods) {
    which = "reason=FailedCreate,involvedObject.kind=Job";
  }
  if (which == nullptr) return {};
  return {"get", "events", "--field-selector", which, "-o", "json"};
}

void add_events(std::vector<PodFacts>& pods, std::string_view json) {
  const std::vector<Event> events = read_events(json);
  for (PodFacts& each : pods) {
    if (each.events == Events::of_pod) {
      add_events_of_pod(each, events);
    } else if (each.events == Events::of_claims) {
      add_events_of_claims(each, events);
    }
  }
}

}  // namespace muster
