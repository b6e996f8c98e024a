// SPDX-License-Identifier: Apache-2.0
// FileOutputKeeper: implements OutputKeeper with files.
#pragma once

#include <string>

#include "core/port/output_keeper.h"
#include "core/system/store/output/held_folder.h"

namespace muster {

class FileOutputKeeper final : public OutputKeeper {
 public:
  uint64_t size(const std::string& path) const override;
  Status room(const std::string& path) const override;
  Status create(const std::string& path) override;
  Status append(const std::string& path, std::string_view bytes) override;
  Result<uint64_t> drop_before(const std::string& path, uint64_t offset) override;
  Status begin_at(const std::string& path, uint64_t offset) override;
  void remove_rank(const std::string& path) override;

 private:
  mutable store::HeldFolder folder_;
};

}  // namespace muster
