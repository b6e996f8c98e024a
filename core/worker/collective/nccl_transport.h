// stub
#pragma once
#include "core/worker/collective/watch.h"
namespace muster::worker {
struct NcclOptions {
  Duration timeout;
  void* stream;
  const class NcclTransport* parent;
};
class NcclTransport : public Transport {
 public:
  static std::string lacks() { return "this build has no NCCL"; }
  static Result<std::unique_ptr<Transport>> make(Meeting&, const Roster&, Watch&, const NcclOptions&) {
    return Status(Code::unimplemented, "no");
  }
};
}  // namespace muster::worker
