// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/hosts_view.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/client/view/document.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kOutOfSync =
    std::chrono::milliseconds(500);  // a difference that people notice when they compare logs

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string decimal(double value, const char* form) {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

bool out_of_sync(const HostReport& report) {
  const Duration off = report.ahead < Duration(0) ? -report.ahead : report.ahead;
  return off > report.unsure + kOutOfSync;
}

std::string clock_of(const HostReport& report) {
  return out_of_sync(report) ? decimal(seconds(report.ahead), "%+.1f s") : "in sync";
}

// "8 × NVIDIA H100 80GB HBM3", "4 × A, 4 × B"
std::string gpus_of(const HostFacts& facts) {
  std::vector<std::pair<std::string, size_t>> kinds;
  for (const Gpu& gpu : facts.gpus) {
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == gpu.name; });
    known == kinds.end() ? kinds.push_back({gpu.name, 1}) : void(++known->second);
  }
  std::vector<std::string> texts;
  for (const auto& [name, count] : kinds) texts.push_back(std::to_string(count) + " × " + name);
  return join(texts, ", ");
}

std::string addresses_of(const HostFacts& facts) {
  std::vector<std::string> texts;
  for (const HostAddress& each : facts.addresses)
    texts.push_back(each.address + " (" + each.nic + (each.mbit > 0 ? ", " + humane_count(each.mbit) + " Mb/s" : "") +
                    ")");
  return join(texts, ", ");
}

std::string program_of(const HostReport& report) {
  return report.sent_bytes > 0 ? "copied, " + humane_size(report.sent_bytes) : "present";
}

Row row_of(const HostReport& report, bool wide, bool labels) {
  const HostFacts& facts = *report.facts;
  const std::string slots = report.host.slots ? std::to_string(*report.host.slots) : "";
  Row row{{report.host.name}};
  if (labels) row.push_back({or_dash(report.host.label)});
  const Row more{{or_dash(slots)},
                 {std::to_string(facts.cpus) + (facts.numa_nodes > 1 ? " in " + std::to_string(facts.numa_nodes) : "")},
                 {humane_size(facts.memory_bytes)},
                 {or_dash(gpus_of(facts))},
                 {humane_size(facts.disk_free_bytes)},
                 {or_dash(facts.python)},
                 {or_dash(facts.torch)},
                 {decimal(facts.load_percent / 100.0, "%.1f")},
                 {clock_of(report), out_of_sync(report) ? Colour::yellow : Colour::none},
                 {program_of(report)}};
  row.insert(row.end(), more.begin(), more.end());
  if (!wide) return row;
  row.push_back({facts.kernel});
  row.push_back({report.folder});
  row.push_back({or_dash(addresses_of(facts))});
  return row;
}

// "python 3.11 on a1, a2; 3.9 on a3"; empty: all hosts have the same value.
template <typename Of>
std::string differing(const std::vector<HostReport>& reports, const std::string& what, const Of& of) {
  std::map<std::string, std::vector<std::string>> by_value;
  for (const HostReport& report : reports) {
    if (report.facts) by_value[of(*report.facts)].push_back(report.host.name);
  }
  if (by_value.size() < 2) return "";
  std::vector<std::string> texts;
  for (const auto& [value, hosts] : by_value)
    texts.push_back((value.empty() ? "none" : value) + " on " + short_list(hosts, 3));
  return "hosts differ in " + what + ": " + join(texts, "; ");
}

Json facts_of(const HostFacts& facts) { return Json::parse(facts_to_json(facts)); }

}  // namespace

std::string hosts_table(const std::vector<HostReport>& reports, const Style& style, bool wide) {
  std::vector<Row> rows;
  std::vector<std::string> heads{"HOST",   "SLOTS", "CPUS", "MEMORY", "GPUS",  "DISK",
                                 "PYTHON", "TORCH", "LOAD", "CLOCK",  "MUSTER"};
  const bool labels =
      std::any_of(reports.begin(), reports.end(), [](const HostReport& report) { return !report.host.label.empty(); });
  if (labels) heads.insert(heads.begin() + 1, "LABEL");
  if (wide) heads.insert(heads.end(), {"KERNEL", "FOLDER", "ADDRESSES"});
  rows.emplace_back();
  for (const std::string& head : heads) rows.front().push_back({head, Colour::bold});
  for (const HostReport& report : reports) {
    if (report.facts) rows.push_back(row_of(report, wide, labels));
  }
  return rows.size() > 1 ? table(rows, style) : "";
}

std::string hosts_troubles(const std::vector<HostReport>& reports, const Style& style) {
  std::string text;
  for (const HostReport& report : reports) {
    if (report.facts) continue;
    text += error_line(style, report.host.name + ": " + report.trouble.sentence);
    if (!report.trouble.next.empty()) text += "  next: " + report.trouble.next + "\n";
  }
  return text;
}

std::vector<std::string> hosts_remarks(const std::vector<HostReport>& reports) {
  std::vector<std::string> remarks;
  const auto add = [&](std::string remark) {
    if (!remark.empty()) remarks.push_back(std::move(remark));
  };
  add(differing(reports, "Python", [](const HostFacts& facts) { return facts.python; }));
  add(differing(reports, "torch", [](const HostFacts& facts) { return facts.torch; }));
  add(differing(reports, "GPUs", [](const HostFacts& facts) { return gpus_of(facts); }));
  for (const HostReport& report : reports) {
    if (report.facts && out_of_sync(report)) {
      const char* way = report.ahead > Duration(0) ? "ahead of" : "behind";
      add("the clock of " + report.host.name + " is " + decimal(std::abs(seconds(report.ahead)), "%.1f s ") + way +
          " this machine's; synchronise it with a time server");
    }
    if (report.facts && !report.facts->gpu_users.empty())
      add("on " + report.host.name + " GPUs are in use: " + short_list(report.facts->gpu_users, 3));
  }
  return remarks;
}

std::string hosts_json(const std::vector<HostReport>& reports) {
  Json list = Json::array();
  for (const HostReport& report : reports) {
    Json each{{"name", report.host.name}, {"reached", report.facts.has_value()}};
    if (report.host.slots) each["slots"] = *report.host.slots;
    if (!report.host.label.empty()) each["label"] = report.host.label;
    if (report.host.weight.value_or(1) != 1) each["weight"] = *report.host.weight;
    if (report.facts) {
      each["facts"] = facts_of(*report.facts);
      each["clock"] = Json{{"ahead_seconds", seconds(report.ahead)}, {"unsure_seconds", seconds(report.unsure)}};
      each["folder"] = report.folder;
      each["sent_bytes"] = report.sent_bytes;
    } else {
      each["error"] = report.trouble.sentence;
      if (!report.trouble.next.empty()) each["next"] = report.trouble.next;
    }
    list.push_back(std::move(each));
  }
  return document_of("hosts", Json{{"hosts", list}, {"remarks", hosts_remarks(reports)}});
}

}  // namespace muster
