// SPDX-License-Identifier: Apache-2.0
// WarmService: the node service that prepares the warm parent from which an attempt's Python ranks are forked. The parent
// is kept for the next attempt and the next job (WarmImports). Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/node/warm/warm_imports.h"
#include "core/port/loop.h"
#include "core/port/node_service.h"

namespace muster {

class WarmService final : public NodeService {
 public:
  WarmService(Loop& loop, WarmImports& imports) : loop_(loop), imports_(imports) {}
  ~WarmService() override { *alive_ = false; }

  std::string name() const override { return "warm"; }
  Status reserve(const Bind&, const NodePorts&) override { return Status(); }
  // Never calls `failed`: ranks that cannot be forked are executed, and the reason is reported as a note.
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t) const override { return {}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {}; }
  void stop() override { importing_ = TimePoint(); }
  bool stopped() const override { return true; }
  void tell(Report& report) override;

 private:
  Loop& loop_;
  WarmImports& imports_;
  TimePoint importing_;  // start of the imports that the ranks waited for; zero: they did not wait
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
