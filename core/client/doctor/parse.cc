// SPDX-License-Identifier: Apache-2.0
#include "core/client/doctor/parse.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/base/text.h"

namespace muster {
namespace {

std::optional<uint64_t> number(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<uint16_t> port(std::string_view text, int base = 10) {
  const auto value = number(text, base);
  return value && *value <= UINT16_MAX ? std::optional(static_cast<uint16_t>(*value)) : std::nullopt;
}

std::vector<std::string> words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

std::string variable(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

}  // namespace

std::optional<uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view field) {
  for (const std::string& line : split(meminfo, '\n')) {
    const std::vector<std::string> found = words(line);
    if (found.size() < 2 || found[0] != std::string(field) + ":") continue;
    const auto kib = number(found[1]);
    return kib ? std::optional(*kib * 1024) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<PortSpan> read_port_range(std::string_view text) {
  const std::vector<std::string> found = words(text);
  if (found.size() != 2) return std::nullopt;
  const auto first = port(found[0]), last = port(found[1]);
  return first && last ? std::optional(PortSpan{*first, *last}) : std::nullopt;
}

std::vector<PortSpan> read_port_list(std::string_view text) {
  std::vector<PortSpan> spans;
  for (const std::string& item : split(join(words(text), ""), ',')) {
    const size_t dash = item.find('-');
    const auto first = port(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : port(item.substr(dash + 1));
    if (first && last) spans.push_back({*first, *last});
  }
  return spans;
}

bool covers(const std::vector<PortSpan>& spans, PortSpan inner) {
  for (uint32_t at = inner.first; at <= inner.last; ++at) {
    const auto holds = [at](PortSpan span) { return span.first <= at && at <= span.last; };
    if (std::none_of(spans.begin(), spans.end(), holds)) return false;
  }
  return true;
}

bool overlap(PortSpan a, PortSpan b) { return a.first <= b.last && b.first <= a.last; }

// "  0: 0100007F:4E20 00000000:0000 0A …": the second word is the local address.
void add_ports(std::string_view table, PortSpan span, std::vector<uint16_t>& ports) {
  for (const std::string& line : split(table, '\n')) {
    const std::vector<std::string> found = words(line);
    const size_t colon = found.size() < 2 ? std::string::npos : found[1].find(':');
    const auto local = colon == std::string::npos ? std::nullopt : port(found[1].substr(colon + 1), 16);
    if (!local || *local < span.first || *local > span.last) continue;
    if (std::find(ports.begin(), ports.end(), *local) == ports.end()) ports.push_back(*local);
  }
}

bool names_host(std::string_view hosts, std::string_view name) {
  for (const std::string& line : split(hosts, '\n')) {
    const std::vector<std::string> found = words(line.substr(0, line.find('#')));
    if (found.size() > 1 && std::find(found.begin() + 1, found.end(), name) != found.end()) return true;
  }
  return false;
}

std::string proxy_variable(const std::map<std::string, std::string>& environment) {
  for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "grpc_proxy"}) {
    if (!variable(environment, name).empty()) return name;
    if (!variable(environment, upper(name)).empty()) return upper(name);
  }
  return "";
}

bool spares_loopback(const std::map<std::string, std::string>& environment) {
  const std::string list = variable(environment, "no_proxy") + "," + variable(environment, "NO_PROXY");
  bool name = false, address = false;
  for (const std::string& item : split(join(words(list), ""), ',')) {
    if (item == "*") return true;
    name = name || item == "localhost";
    address = address || item == "127.0.0.1" || item.starts_with("127.0.0.0/");
  }
  return name && address;
}

// "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw": root within its file system, mount point, … type and source.
bool has_disk_as_root(std::string_view mountinfo) {
  bool disk = false;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> found = words(line);
    const auto dash = std::find(found.begin(), found.end(), "-");
    if (found.size() < 5 || found[4] != "/" || found.end() - dash < 3) continue;
    disk = found[3] == "/" && (dash + 2)->starts_with("/dev/");  // the last mount of / is the visible one
  }
  return disk;
}

std::string network_name(uint64_t file_system) {
  static const std::map<uint64_t, std::string> names = {
      {0x6969, "NFS"},        {0xfe534d42, "SMB"},    {0xff534d42, "CIFS"}, {0x517b, "SMB"},
      {0x0bd00bd0, "Lustre"}, {0x00c36400, "CephFS"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
      {0x01021997, "9p"},     {0x5346414f, "AFS"},    {0x6b414653, "kAFS"}, {0xaad7aaea, "PanFS"},
      {0x7461636f, "OCFS2"},  {0x013661, "Lustre"},
  };
  const auto found = names.find(file_system & 0xffffffff);
  return found == names.end() ? "" : found->second;
}

// "… NVRM: Xid (PCI:0000:3b:00): 79, pid=4011, GPU has fallen off the bus."
std::vector<std::string> gpu_faults(std::string_view log) {
  constexpr std::string_view mark = "NVRM: Xid (PCI:";
  std::vector<std::string> faults;
  for (const std::string& line : split(log, '\n')) {
    const size_t at = line.find(mark);
    const size_t close = at == std::string::npos ? at : line.find("): ", at);
    if (close == std::string::npos) continue;
    const std::string place = line.substr(at + mark.size(), close - at - mark.size());
    const std::string rest = line.substr(close + 3);
    const std::string fault = "Xid " + rest.substr(0, rest.find_first_not_of("0123456789")) + " on " + place;
    if (std::find(faults.begin(), faults.end(), fault) == faults.end()) faults.push_back(fault);
  }
  return faults;
}

// "1: FLOCK  ADVISORY  WRITE 4011 fe:00:1234567 0 EOF"; waiting ones have "->" as their second word.
std::vector<uint64_t> locked_inodes(std::string_view locks) {
  std::vector<uint64_t> inodes;
  for (const std::string& line : split(locks, '\n')) {
    for (const std::string& word : words(line)) {
      const size_t colon = word.rfind(':');
      const bool place = colon != std::string::npos && word.find(':') != colon;
      const auto inode = place ? number(word.substr(colon + 1)) : std::nullopt;
      if (inode) inodes.push_back(*inode);
    }
  }
  return inodes;
}

void read_python_answer(std::string_view text, PythonFacts& facts) {
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> found = split(line, '\t');
    if (found.size() == 2 && found[0] == "version") facts.version = found[1];
    if (found.size() == 2 && found[0] == "executable") facts.path = found[1];
    if (found.size() == 2 && found[0] == "torch_shadow") facts.torch_shadow = found[1];
    if (found.size() == 2 && found[0] == "foreign_env") facts.virtual_env = found[1];
    if (found.size() == 2 && found[0] == "torch_cuda") {
      facts.torch_built = true;
      facts.torch_cuda = found[1];
    }
    if (found.size() == 3 && found[0] == "package") facts.packages[found[1]] = found[2];
  }
}

std::string max_startups(const std::string& settings) {
  for (const std::string& line : split(settings, '\n')) {
    std::istringstream words(line);
    std::string key, value;
    words >> key >> value;
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    if (key == "maxstartups") return value;
    if (key == "match") return "";
  }
  return "";
}

}  // namespace muster
