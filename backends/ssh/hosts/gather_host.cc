// SPDX-License-Identifier: Apache-2.0
// Gathers the facts of this machine for `muster facts`.

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <set>

#include "backends/ssh/hosts/host_facts.h"
#include "core/client/doctor/facts.h"
#include "core/client/doctor/parse.h"
#include "core/system/linux/host_name.h"
#include "core/system/linux/loopback_name.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string numeric(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = {};
  const void* bytes = address.sa_family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
                          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return inet_ntop(address.sa_family, bytes, text, sizeof text) != nullptr ? text : "";
}

// True for addresses that peers can use: neither loopback nor link-local.
bool is_for_peers(const ifaddrs& each) {
  if (each.ifa_addr == nullptr || (each.ifa_flags & IFF_UP) == 0 || (each.ifa_flags & IFF_LOOPBACK) != 0) return false;
  if (each.ifa_addr->sa_family == AF_INET) return true;
  if (each.ifa_addr->sa_family != AF_INET6) return false;
  return !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(each.ifa_addr)->sin6_addr);
}

uint32_t prefix_of(const sockaddr* mask) {
  if (mask == nullptr) return 0;
  const bool four = mask->sa_family == AF_INET;
  const auto* bytes = four ? reinterpret_cast<const uint8_t*>(&reinterpret_cast<const sockaddr_in*>(mask)->sin_addr)
                           : reinterpret_cast<const sockaddr_in6*>(mask)->sin6_addr.s6_addr;
  uint32_t bits = 0;
  for (size_t i = 0; i < (four ? 4 : 16); ++i) bits += static_cast<uint32_t>(std::popcount(bytes[i]));
  return bits;
}

std::vector<HostAddress> addresses() {
  std::vector<HostAddress> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (!is_for_peers(*each)) continue;
    const std::string speed = read_small_file("/sys/class/net/" + std::string(each->ifa_name) + "/speed").value_or("");
    found.push_back({each->ifa_name, numeric(*each->ifa_addr), prefix_of(each->ifa_netmask),
                     static_cast<uint32_t>(std::max(std::atoi(speed.c_str()), 0))});
  }
  freeifaddrs(all);
  return found;
}

uint64_t free_beside(const std::string& program) {
  struct statvfs disk {};
  const std::string folder = std::filesystem::path(program).parent_path();
  return statvfs(folder.c_str(), &disk) == 0 ? disk.f_bavail * disk.f_frsize : 0;
}

uint32_t numa_nodes(const Inventory& inventory) {
  std::set<int> nodes;
  for (const CpuPlace& place : inventory.places) nodes.insert(place.numa_node);
  return static_cast<uint32_t>(nodes.size());
}

// As on most systems: the main file includes the files of its folder at the top, and the first value counts (sshd_config(5)).
std::string sshd_settings() {
  std::error_code error;
  std::set<std::string> parts;
  for (fs::directory_iterator each("/etc/ssh/sshd_config.d", error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().extension() == ".conf") parts.insert(each->path());
  }
  std::string text;
  for (const std::string& part : parts) text += read_small_file(part).value_or("") + "\n";
  return text + read_small_file("/etc/ssh/sshd_config").value_or("");
}

}  // namespace

// The boot id, and the network namespace: containers have their own.
std::string this_machine() {
  std::error_code ignored;
  const std::string boot = read_small_file("/proc/sys/kernel/random/boot_id").value_or("");
  return boot.substr(0, boot.find('\n')) + " " + std::filesystem::read_symlink("/proc/self/ns/net", ignored).string();
}

HostFacts gather_host(const CallerContext& caller, const std::optional<std::string>& asked) {
  MachineFacts machine;
  GpuFacts gpus;
  gather_machine(caller, machine, gpus);
  const PythonFacts python = asked ? gather_python(caller, *asked) : PythonFacts();
  HostFacts facts;
  facts.version = caller.version;
  facts.host = host_name();
  facts.machine = this_machine();
  facts.user = caller.user;
  facts.kernel = machine.kernel;
  facts.loopback = loopback_name();
  facts.cpu_order = machine.inventory.cpus;
  facts.places = machine.inventory.places;
  facts.cpus = static_cast<uint32_t>(machine.inventory.cpus.size());
  facts.numa_nodes = numa_nodes(machine.inventory);
  facts.memory_bytes = machine.inventory.memory_bytes.value_or(0);
  facts.memory_free_bytes = machine.memory_free_bytes.value_or(0);
  facts.gpus = machine.inventory.gpus;
  for (const GpuUser& user : gpus.users)
    facts.gpu_users.push_back(user.user + "'s " + (user.program.empty() ? "program" : user.program) + " (pid " +
                              std::to_string(user.pid) + ")");
  facts.holders = holders_of(gpus.told);
  for (Holder& stranger : strangers_on(gpus.users, {})) facts.holders.push_back(std::move(stranger));
  facts.addresses = addresses();
  facts.disk_free_bytes = free_beside(caller.program);
  double load = 0;
  if (getloadavg(&load, 1) == 1) facts.load_percent = static_cast<uint32_t>(std::lround(load * 100));
  facts.python = python.version;
  const auto torch = python.packages.find("torch");
  if (torch != python.packages.end()) facts.torch = torch->second;
  facts.torch_cuda = python.torch_cuda;
  facts.packages = python.packages;
  facts.packages.erase("torch");
  facts.max_startups = max_startups(sshd_settings());
  if (gpus.health) facts.driver = gpus.health->driver;
  if (!spares_loopback(caller.environment)) facts.proxy = proxy_variable(caller.environment);
  return facts;
}

}  // namespace muster
