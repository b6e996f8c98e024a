// SPDX-License-Identifier: Apache-2.0
// ControllerPorts: the ports of a controller and its parts. All of them outlive the controller.
#pragma once

#include "core/base/log.h"
#include "core/port/backend.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"

namespace muster {

struct ControllerPorts {
  Loop& loop;
  Backends backends;
  JobStore& store;
  OutputFiles& output;
  OutputKeeper& keeper;
  Log& log;
};

}  // namespace muster
