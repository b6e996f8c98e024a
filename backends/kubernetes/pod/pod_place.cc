// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/pod_place.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/text.h"
#include "core/job/pod_words.h"
#include "core/system/linux/runtime_folder.h"
#include "core/system/tls/token_identity.h"

namespace muster::pod {
namespace {

constexpr const char* kPurpose = "muster pod";
constexpr size_t kMostFailureMessage = 4096;

uint32_t number_of(const CallerContext& caller, const char* name) {
  const std::string text = caller.variable(name).value_or("0");
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

PodPlace pod_place(const CallerContext& caller) {
  const auto text = [&](const char* name, const char* otherwise) { return caller.variable(name).value_or(otherwise); };
  PodPlace place;
  place.folder = text("MUSTER_POD_FOLDER", kFolder);
  place.secrets = text("MUSTER_POD_SECRETS", kSecretFolder);
  place.termination_message = text("MUSTER_POD_TERMINATION_MESSAGE", kFailureMessage);
  place.coordinator = text(kCoordinatorVariable, "");
  if (const auto delay = parse_duration(text(kStayVariable, "0s")); delay.ok()) place.termination_delay = *delay;
  place.self.group = number_of(caller, kGroupVariable);
  place.self.index = number_of(caller, kIndexVariable);
  place.self.uid = text(kUidVariable, "");
  place.self.name = text(kNameVariable, "");
  place.self.address = text(kAddressVariable, "");
  place.self.machine = text(kNodeVariable, "");
  return place;
}

Status make_folders(const PodPlace& place) {
  std::error_code error;
  std::filesystem::create_directories(place.state(), error);
  if (error) return Status(Code::unavailable, place.state() + ": " + error.message());
  return make_private_folder(place.run());
}

Result<TlsIdentity> identity_of(const PodPlace& place) {
  const std::string path = place.secrets + "/" + kTokenKey;
  std::ifstream file(path, std::ios::binary);
  std::string token((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!token.empty() && token.back() == '\n') token.pop_back();
  if (token.empty()) return Status(Code::not_found, "cannot read the job's token: " + path + " is missing or empty");
  auto identity = identity_from_token(token, kPurpose);
  if (!identity.ok()) return identity.status().with_context(path);
  return identity;
}

std::map<std::string, std::string> without_pod_variables(std::map<std::string, std::string> environment) {
  std::erase_if(environment, [](const auto& variable) { return variable.first.starts_with("MUSTER_POD_"); });
  return environment;
}

void wait_termination_delay(const PodPlace& place) { std::this_thread::sleep_for(place.termination_delay); }

void write_termination_message(const PodPlace& place, const std::string& text) {
  size_t size = std::min(text.size(), kMostFailureMessage);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  std::ofstream(place.termination_message, std::ios::binary | std::ios::trunc) << text.substr(0, size);
}

}  // namespace muster::pod
