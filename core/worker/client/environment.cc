// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/environment.h"

#include <charconv>
#include <cstring>

namespace muster::worker {
namespace {

class Reader {
 public:
  explicit Reader(const Lookup& lookup) : lookup_(lookup) {}

  std::string text(const char* name) {
    const char* value = lookup_(name);
    return value == nullptr ? "" : value;
  }

  uint32_t number(const char* name) {
    const std::string value = text(name);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && !value.empty()) return number;
    if (status.ok())
      status =
          Status(Code::invalid_argument, std::string(name) + " is `" + value +
                                             "`, but muster sets a number; does the program change its environment?");
    return 0;
  }

  Status status;

 private:
  const Lookup& lookup_;
};

}  // namespace

Result<Place> place_from(const Lookup& lookup) {
  if (lookup("MUSTER_SOCKET") == nullptr || lookup("MUSTER_INDEX") == nullptr) {
    return Status(
        Code::failed_precondition,
        "this program was not started by muster (MUSTER_SOCKET is not set); start it with: muster run -n 2 -- PROGRAM");
  }
  Reader reader(lookup);
  Place place;
  place.asker = {reader.number("MUSTER_ATTEMPT"), reader.number("MUSTER_INDEX")};
  place.socket = reader.text("MUSTER_SOCKET");
  place.address = reader.text("MUSTER_ADDRESS");
  place.job = reader.text("MUSTER_JOB_NAME");
  place.job_id = reader.text("MUSTER_JOB_ID");
  place.group = reader.text("MUSTER_GROUP");
  place.rank = reader.number("MUSTER_RANK");
  place.world_size = reader.number("MUSTER_WORLD_SIZE");
  place.local_rank = reader.number("MUSTER_LOCAL_RANK");
  place.local_size = reader.number("MUSTER_LOCAL_WORLD_SIZE");
  place.node = reader.number("MUSTER_NODE");
  place.restarts = reader.number("MUSTER_RESTARTS");
  if (!reader.status.ok()) return reader.status;
  return place;
}

Result<Place> place_from(const std::map<std::string, std::string>& environment) {
  return place_from([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace muster::worker
