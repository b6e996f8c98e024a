// WarmService: readies the process from which an attempt's Python ranks are forked, as a service of an agent. The process itself stays
// for the next attempt and the next job (WarmImports). Loop thread only.
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
  // `failed` never follows: ranks that cannot be forked are executed, and people are told why.
  void start(const ServiceStart& start, ServiceEvents events) override;
  std::map<std::string, std::string> environment(uint32_t) const override { return {}; }
  void stop() override { importing_ = TimePoint(); }
  bool stopped() const override { return true; }
  void tell(Report& report) override;

 private:
  Loop& loop_;
  WarmImports& imports_;
  TimePoint importing_;  // when the imports began that the ranks waited for; zero: they did not wait
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
