// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/hosts_reader.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/host_list.h"

namespace muster {
namespace {

const YamlEntry* entry_of(const YamlNode& map, std::string_view key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

void read_one_host(ValueReader& reader, const YamlNode& item, HostListBuilder& list, std::vector<HostSpec>& hosts) {
  const std::string path = reader.path() + "." + std::to_string(hosts.size());
  reader.target().places[path] = item.where;
  if (item.kind != YamlNode::Kind::map) {
    const auto text = reader.word(item, "hosts");
    const ListedHost* read = text ? list.host(*text, item.where) : nullptr;
    if (read != nullptr) hosts.push_back({read->name, read->slots.value_or(0)});
    return;
  }
  const YamlEntry* name = entry_of(item, "name");
  HostSpec host;
  ReadTarget inner = reader.target();
  inner.host = &host;
  read_map(inner, reader.key().children, item, path + ".", "a host");
  if (name == nullptr) {
    Diagnostic missing = reader.problem("E1501", item, "a host has no name");
    missing.label = "give the name for ssh, such as  name: a1";
    return reader.report(std::move(missing));
  }
  if (name->value.kind != YamlNode::Kind::scalar) return;
  const ListedHost* read = list.host(name->value.text, name->value.where);
  if (read == nullptr) return;
  host.name = read->name;
  if (read->slots && host.slots > 0 && *read->slots != host.slots)
    list.problem("E1502", name->value.where, "the slots of " + host.name + " differ in its name and in `slots`");
  host.slots = read->slots.value_or(host.slots);
  hosts.push_back(std::move(host));
}

}  // namespace

void read_host_name(ValueReader& reader) { (void)reader.word(reader.node(), "name"); }

void read_host_label(ValueReader& reader, std::string& value) {
  const auto text = reader.word(reader.node(), "label");
  if (!text) return;
  value = *text;
  if (const std::string fault = fault_of_label(value); !fault.empty())
    reader.report(reader.problem("E1507", reader.node(), fault));
}

void read_hosts(ValueReader& reader, std::vector<HostSpec>& value) {
  HostListBuilder list;
  std::vector<HostSpec> hosts;
  if (reader.node().kind == YamlNode::Kind::scalar) {
    for (const std::string& each : split(reader.node().text, ',')) {
      if (const ListedHost* read = list.host(each, reader.node().where))
        hosts.push_back({read->name, read->slots.value_or(0)});
    }
  } else if (reader.node().kind == YamlNode::Kind::sequence) {
    for (const YamlNode& item : reader.node().items) read_one_host(reader, item, list, hosts);
  } else {
    return reader.report_kind(reader.node(), "hosts", wanted(reader.key()));
  }
  HostList read = list.take(reader.node().where);
  const bool empty =
      reader.node().kind == YamlNode::Kind::sequence ? reader.node().items.empty() : reader.node().text.empty();
  for (Diagnostic& problem : read.problems) {
    if (problem.code != "E1504" || empty)
      reader.report(std::move(problem));  // a list with only invalid hosts already has their problems
  }
  value = std::move(hosts);
}

}  // namespace muster
