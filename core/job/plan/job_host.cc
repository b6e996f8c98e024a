// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/job_host.h"

#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::json;

Json json_of(const Gpu& gpu) {
  return {{"index", gpu.index},
          {"uuid", gpu.uuid},
          {"name", gpu.name},
          {"memory", gpu.memory_bytes},
          {"numa", gpu.numa_node}};
}

Gpu gpu_of(const Json& j) { return {j.at("index"), j.at("uuid"), j.at("name"), j.at("memory"), j.at("numa")}; }

// [cpu, NUMA node, package, core, cache]
Json json_of(const CpuPlace& place) { return {place.cpu, place.numa_node, place.package, place.core, place.cache}; }

CpuPlace place_of(const Json& j) { return {j.at(0), j.at(1), j.at(2), j.at(3), j.at(4)}; }

Json json_of(const Inventory& machine) {
  Json gpus = Json::array();
  Json places = Json::array();
  for (const Gpu& gpu : machine.gpus) gpus.push_back(json_of(gpu));
  for (const CpuPlace& place : machine.places) places.push_back(json_of(place));
  Json j = {{"host", machine.host}, {"cpus", machine.cpus}, {"gpus", gpus}, {"places", places}};
  if (machine.memory_bytes) j["memory"] = *machine.memory_bytes;
  return j;
}

Inventory inventory_of(const Json& j) {
  Inventory machine;
  machine.host = j.at("host");
  machine.cpus = j.at("cpus").get<std::vector<uint32_t>>();
  if (j.contains("memory")) machine.memory_bytes = j.at("memory").get<uint64_t>();
  for (const Json& gpu : j.at("gpus")) machine.gpus.push_back(gpu_of(gpu));
  for (const Json& place : j.at("places")) machine.places.push_back(place_of(place));
  return machine;
}

Json json_of(const Holder& holder) {
  return {{"who", holder.who}, {"gpus", holder.claim.gpus}, {"cpus", holder.claim.cpus},
          {"job", holder.job}, {"foreign", holder.foreign}, {"memory", holder.claim.memory_bytes}};
}

Holder holder_of(const Json& j) {
  return {j.at("who"), {j.at("gpus"), j.at("cpus"), j.at("memory")}, j.at("foreign"), j.at("job")};
}

// Older journals do not have these fields.
void read_newer(JobHost& host, const Json& j) {
  host.identity = j.value("identity", "");
  host.label = j.value("label", "");
  host.weight = j.value("weight", 1u);
  for (const Json& other : j.value("others", Json::array())) host.others.push_back(holder_of(other));
}

}  // namespace

std::string hosts_to_json(const std::vector<JobHost>& hosts) {
  Json list = Json::array();
  for (const JobHost& host : hosts) {
    list.push_back({{"name", host.name},
                    {"address", host.address},
                    {"loopback", host.loopback},
                    {"slots", host.slots},
                    {"machine", json_of(host.machine)},
                    {"identity", host.identity}});
    if (!host.label.empty()) list.back()["label"] = host.label;
    if (host.weight != 1) list.back()["weight"] = host.weight;
    for (const Holder& other : host.others) list.back()["others"].push_back(json_of(other));
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<JobHost>> hosts_from_json(std::string_view text) {
  std::vector<JobHost> hosts;
  if (text.empty()) return hosts;
  try {
    for (const Json& j : Json::parse(text)) {
      hosts.push_back({j.at("name"), j.at("address"), j.at("loopback"), j.at("slots"), inventory_of(j.at("machine"))});
      read_newer(hosts.back(), j);
    }
  } catch (const Json::exception& error) {
    return Status(Code::invalid_argument, std::string("invalid list of hosts: ") + error.what());
  }
  return hosts;
}

}  // namespace muster
