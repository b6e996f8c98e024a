#include "launcher/hosts/host_facts.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongest = 256;
constexpr size_t kMost = 256;

// Reads what is there and of the right kind; leaves the rest.
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
    if (found != object_.end() && found->is_number_unsigned()) target = found->get<Number>();
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

Json gpus_of(const HostFacts& facts) {
  Json list = Json::array();
  for (const Gpu& gpu : facts.gpus) {
    list.push_back({{"index", gpu.index}, {"uuid", gpu.uuid}, {"name", gpu.name}, {"memory_bytes", gpu.memory_bytes}});
  }
  return list;
}

Json addresses_of(const HostFacts& facts) {
  Json list = Json::array();
  for (const HostAddress& each : facts.addresses)
    list.push_back({{"nic", each.nic}, {"address", each.address}, {"mbit", each.mbit}});
  return list;
}

Gpu gpu_from(const nlohmann::json& object) {
  Gpu gpu;
  const Reader reader(object);
  reader.number("index", gpu.index);
  reader.text("uuid", gpu.uuid);
  reader.text("name", gpu.name);
  reader.number("memory_bytes", gpu.memory_bytes);
  return gpu;
}

HostAddress address_from(const nlohmann::json& object) {
  HostAddress address;
  const Reader reader(object);
  reader.text("nic", address.nic);
  reader.text("address", address.address);
  reader.number("mbit", address.mbit);
  return address;
}

}  // namespace

std::string facts_to_json(const HostFacts& facts) {
  const Json object{{"version", facts.version},
                    {"host", facts.host},
                    {"user", facts.user},
                    {"kernel", facts.kernel},
                    {"cpus", facts.cpus},
                    {"numa_nodes", facts.numa_nodes},
                    {"memory_bytes", facts.memory_bytes},
                    {"memory_free_bytes", facts.memory_free_bytes},
                    {"gpus", gpus_of(facts)},
                    {"gpu_users", facts.gpu_users},
                    {"addresses", addresses_of(facts)},
                    {"disk_free_bytes", facts.disk_free_bytes},
                    {"load_percent", facts.load_percent},
                    {"python", facts.python},
                    {"torch", facts.torch},
                    {"torch_cuda", facts.torch_cuda}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<HostFacts> facts_from_json(std::string_view text) {
  // Not the ordered kind, which looks at all names for each.
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("version"))
    return Status(Code::data_loss, "what it said of itself is no answer of muster's");
  HostFacts facts;
  const Reader reader(object);
  reader.text("version", facts.version);
  reader.text("host", facts.host);
  reader.text("user", facts.user);
  reader.text("kernel", facts.kernel);
  reader.number("cpus", facts.cpus);
  reader.number("numa_nodes", facts.numa_nodes);
  reader.number("memory_bytes", facts.memory_bytes);
  reader.number("memory_free_bytes", facts.memory_free_bytes);
  reader.number("disk_free_bytes", facts.disk_free_bytes);
  reader.number("load_percent", facts.load_percent);
  reader.text("python", facts.python);
  reader.text("torch", facts.torch);
  reader.text("torch_cuda", facts.torch_cuda);
  reader.each("gpus", [&](const nlohmann::json& each) {
    if (each.is_object()) facts.gpus.push_back(gpu_from(each));
  });
  reader.each("gpu_users", [&](const nlohmann::json& each) {
    if (each.is_string()) facts.gpu_users.push_back(escaped(each.get<std::string>().substr(0, kLongest)));
  });
  reader.each("addresses", [&](const nlohmann::json& each) {
    if (each.is_object()) facts.addresses.push_back(address_from(each));
  });
  return facts;
}

}  // namespace muster
