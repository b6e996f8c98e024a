// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/host_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongest = 256;
constexpr size_t kMost = 4096;

// Reads the fields that exist and have the right type; ignores the rest.
class Reader {
 public:
  explicit Reader(const nlohmann::json& object) : object_(object) {}

  void text(const char* name, std::string& target) const {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_string()) target = escaped(found->get<std::string>().substr(0, kLongest));
  }
  template <typename Number>
  void number(const char* name, Number& target) const {
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    const bool fits = std::is_signed_v<Number> ? found->is_number_integer() : found->is_number_unsigned();
    if (fits) target = found->template get<Number>();
  }
  template <typename Take>
  void each(const char* name, const Take& take) const {
    const auto found = object_.find(name);
    if (found == object_.end() || !found->is_array()) return;
    for (size_t i = 0; i < std::min(found->size(), kMost); ++i) take((*found)[i]);
  }

 private:
  const nlohmann::json& object_;
};

class Writer {
 public:
  template <typename Value>
  void text(const char* name, const Value& value) {
    object[name] = value;
  }
  template <typename Number>
  void number(const char* name, Number value) {
    object[name] = value;
  }

  Json object = Json::object();
};

// The fields of the JSON, each listed once for both directions: `way` is a Writer or a Reader.
template <typename Way, typename SomeGpu>
void cross_gpu(Way&& way, SomeGpu& gpu) {
  way.number("index", gpu.index);
  way.text("uuid", gpu.uuid);
  way.text("name", gpu.name);
  way.number("memory_bytes", gpu.memory_bytes);
  way.number("numa_node", gpu.numa_node);
}

template <typename Way, typename SomeAddress>
void cross_address(Way&& way, SomeAddress& address) {
  way.text("nic", address.nic);
  way.text("address", address.address);
  way.number("prefix", address.prefix);
  way.number("mbit", address.mbit);
}

template <typename Way, typename SomeFacts>
void cross_facts(Way&& way, SomeFacts& facts) {
  way.text("version", facts.version);
  way.text("host", facts.host);
  way.text("machine", facts.machine);
  way.text("user", facts.user);
  way.text("kernel", facts.kernel);
  way.text("loopback", facts.loopback);
  way.number("cpus", facts.cpus);
  way.number("numa_nodes", facts.numa_nodes);
  way.number("memory_bytes", facts.memory_bytes);
  way.number("memory_free_bytes", facts.memory_free_bytes);
  way.number("disk_free_bytes", facts.disk_free_bytes);
  way.number("load_percent", facts.load_percent);
  way.text("python", facts.python);
  way.text("torch", facts.torch);
  way.text("torch_cuda", facts.torch_cuda);
  way.text("driver", facts.driver);
  way.text("proxy", facts.proxy);
  way.text("max_startups", facts.max_startups);
}

Json json_of(const Holder& holder) {
  return {{"who", holder.who},
          {"job", holder.job},
          {"gpus", holder.claim.gpus},
          {"cpus", holder.claim.cpus},
          {"memory_bytes", holder.claim.memory_bytes},
          {"foreign", holder.foreign}};
}

void read_holder(const nlohmann::json& each, std::vector<Holder>& holders) {
  if (!each.is_object()) return;
  const Reader reader(each);
  Holder holder;
  reader.text("who", holder.who);
  reader.text("job", holder.job);
  reader.number("memory_bytes", holder.claim.memory_bytes);
  reader.each("gpus", [&](const nlohmann::json& gpu) {
    if (gpu.is_string()) holder.claim.gpus.insert(gpu.get<std::string>().substr(0, kLongest));
  });
  reader.each("cpus", [&](const nlohmann::json& cpu) {
    if (cpu.is_number_unsigned()) holder.claim.cpus.insert(cpu.get<uint32_t>());
  });
  holder.foreign = each.value("foreign", nlohmann::json()) == true;
  holders.push_back(std::move(holder));
}

void read_packages(const nlohmann::json& all, std::map<std::string, std::string>& packages) {
  if (!all.is_object()) return;
  for (const auto& [name, version] : all.items()) {
    if (packages.size() >= kMost || !version.is_string()) continue;
    packages[escaped(name.substr(0, kLongest))] = escaped(version.get<std::string>().substr(0, kLongest));
  }
}

// [cpu, NUMA node, package, core, cache]
Json json_of(const CpuPlace& place) { return {place.cpu, place.numa_node, place.package, place.core, place.cache}; }

void read_place(const nlohmann::json& each, std::vector<CpuPlace>& places) {
  const bool numbers = each.is_array() && each.size() == 5 &&
                       std::all_of(each.begin(), each.end(), [](const auto& one) { return one.is_number_integer(); });
  if (numbers) places.push_back({each[0], each[1], each[2], each[3], each[4]});
}

}  // namespace

std::string facts_to_json(const HostFacts& facts) {
  Writer all;
  cross_facts(all, facts);
  all.object["gpus"] = Json::array();
  for (const Gpu& gpu : facts.gpus) {
    Writer one;
    cross_gpu(one, gpu);
    all.object["gpus"].push_back(std::move(one.object));
  }
  all.object["cpu_order"] = facts.cpu_order;
  all.object["places"] = Json::array();
  for (const CpuPlace& place : facts.places) all.object["places"].push_back(json_of(place));
  all.object["gpu_users"] = facts.gpu_users;
  all.object["packages"] = facts.packages;
  all.object["holders"] = Json::array();
  for (const Holder& holder : facts.holders) all.object["holders"].push_back(json_of(holder));
  all.object["addresses"] = Json::array();
  for (const HostAddress& address : facts.addresses) {
    Writer one;
    cross_address(one, address);
    all.object["addresses"].push_back(std::move(one.object));
  }
  return all.object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<HostFacts> facts_from_json(std::string_view text) {
  // Not ordered_json, whose lookup of a name is linear.
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("version"))
    return Status(Code::data_loss, "its answer to `muster facts` cannot be parsed");
  HostFacts facts;
  const Reader reader(object);
  cross_facts(reader, facts);
  reader.each("gpus", [&](const nlohmann::json& each) {
    if (each.is_object()) cross_gpu(Reader(each), facts.gpus.emplace_back());
  });
  reader.each("cpu_order", [&](const nlohmann::json& each) {
    if (each.is_number_unsigned()) facts.cpu_order.push_back(each.get<uint32_t>());
  });
  reader.each("places", [&](const nlohmann::json& each) { read_place(each, facts.places); });
  reader.each("gpu_users", [&](const nlohmann::json& each) {
    if (each.is_string()) facts.gpu_users.push_back(escaped(each.get<std::string>().substr(0, kLongest)));
  });
  read_packages(object.value("packages", nlohmann::json()), facts.packages);
  reader.each("holders", [&](const nlohmann::json& each) { read_holder(each, facts.holders); });
  reader.each("addresses", [&](const nlohmann::json& each) {
    if (each.is_object()) cross_address(Reader(each), facts.addresses.emplace_back());
  });
  return facts;
}

}  // namespace muster
