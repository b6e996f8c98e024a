// The hosts of a job: words as --hosts has them, or maps.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/host_list.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

const YamlEntry* entry_of(const YamlNode& map, std::string_view key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

}  // namespace

void ValueReader::host_name() { (void)word(node_, "name"); }

void ValueReader::host_label(std::string& value) {
  const auto text = word(node_, "label");
  if (!text) return;
  value = *text;
  if (const std::string fault = fault_of_label(value); !fault.empty()) report(problem("E1507", node_, fault));
}

void ValueReader::hosts(std::vector<HostSpec>& value) {
  HostListBuilder list;
  std::vector<HostSpec> hosts;
  if (node_.kind == YamlNode::Kind::scalar) {
    for (const std::string& each : split(node_.text, ',')) {
      if (const ListedHost* read = list.host(each, node_.where)) hosts.push_back({read->name, read->slots.value_or(0)});
    }
  } else if (node_.kind == YamlNode::Kind::sequence) {
    for (const YamlNode& item : node_.items) one_host(item, list, hosts);
  } else {
    return report_kind(node_, "hosts", wanted(key_));
  }
  HostList read = list.take(node_.where);
  const bool empty = node_.kind == YamlNode::Kind::sequence ? node_.items.empty() : node_.text.empty();
  for (Diagnostic& problem : read.problems) {
    if (problem.code != "E1504" || empty) report(std::move(problem));  // else it was said what is wrong with each
  }
  value = std::move(hosts);
}

void ValueReader::one_host(const YamlNode& item, HostListBuilder& list, std::vector<HostSpec>& hosts) {
  const std::string path = path_ + "." + std::to_string(hosts.size());
  target_.places[path] = item.where;
  if (item.kind != YamlNode::Kind::map) {
    const auto text = word(item, "hosts");
    const ListedHost* read = text ? list.host(*text, item.where) : nullptr;
    if (read != nullptr) hosts.push_back({read->name, read->slots.value_or(0)});
    return;
  }
  const YamlEntry* name = entry_of(item, "name");
  HostSpec host;
  ReadTarget inner = target_;
  inner.host = &host;
  read_map(inner, key_.children, item, path + ".", "a host");
  if (name == nullptr) {
    Diagnostic missing = problem("E1501", item, "a host has no name");
    missing.label = "what ssh is given: name: a1";
    return report(std::move(missing));
  }
  if (name->value.kind != YamlNode::Kind::scalar) return;
  const ListedHost* read = list.host(name->value.text, name->value.where);
  if (read == nullptr) return;
  host.name = read->name;
  if (read->slots && host.slots > 0 && *read->slots != host.slots)
    list.problem("E1502", name->value.where,
                 "the slots of " + host.name + " are written in its name or as `slots`, once");
  host.slots = read->slots.value_or(host.slots);
  hosts.push_back(std::move(host));
}

}  // namespace muster
