// SPDX-License-Identifier: Apache-2.0
// PmixValues: a list of pmix_info_t. The functions of libpmix that fill one differ between its versions. Any thread.
#pragma once

#include <pmix_server.h>

#include <cstring>
#include <string>
#include <vector>

namespace muster {

class PmixValues {
 public:
  PmixValues() = default;
  PmixValues(const PmixValues&) = delete;
  PmixValues& operator=(const PmixValues&) = delete;
  ~PmixValues() {
    for (pmix_info_t& info : list_) {
      if (info.value.type == PMIX_STRING) std::free(info.value.data.string);
    }
  }

  void text(const char* key, const std::string& value) { add(key, PMIX_STRING).string = strdup(value.c_str()); }
  void number(const char* key, uint32_t value) { add(key, PMIX_UINT32).uint32 = value; }
  void rank(const char* key, uint32_t value) { add(key, PMIX_PROC_RANK).rank = value; }
  void flag(const char* key, bool value) { add(key, PMIX_BOOL).flag = value; }

  pmix_info_t* data() { return list_.data(); }
  size_t size() const { return list_.size(); }

 private:
  decltype(pmix_value_t::data)& add(const char* key, pmix_data_type_t type) {
    pmix_info_t info;
    std::memset(&info, 0, sizeof info);
    std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
    info.value.type = type;
    list_.push_back(info);
    return list_.back().value.data;
  }

  std::vector<pmix_info_t> list_;
};

}  // namespace muster
