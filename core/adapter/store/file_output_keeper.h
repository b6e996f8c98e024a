// FileOutputKeeper: the OutputKeeper of real files.
#pragma once

#include <string>

#include "core/adapter/asio/unique_fd.h"
#include "core/port/output_keeper.h"

namespace muster {

class FileOutputKeeper final : public OutputKeeper {
 public:
  uint64_t size(const std::string& path) const override;
  Status append(const std::string& path, std::string_view bytes) override;
  Result<uint64_t> drop_before(const std::string& path, uint64_t offset) override;
  Status begin_at(const std::string& path, uint64_t offset) override;
  void remove_rank(const std::string& path) override;

 private:
  // Whose files were asked for last: job folders lie deep, and an idle agent does little else than to ask for sizes.
  mutable std::string folder_;
  mutable UniqueFd held_;
};

}  // namespace muster
