// SPDX-License-Identifier: Apache-2.0
// The drivers. Each begins at time 0 of its scenario.
#pragma once

#include <memory>

#include "test/scenario/scenario.h"

namespace muster::scenario {

// start | spawned | spawn-failed [detail=TEXT] | exited STATUS | stop grace=D | advance D | timer
std::unique_ptr<Driver> worker_driver();

// limits KEY=N … | begin N world=HOST,HOST… [world=…] [taken_over=1] [why] | ask RANK KIND [KEY] [VALUE] [expected=]
// [amount=] [ranks=0,1] [timeout=D] [world=N] [attempt=N] [channel=N] [id=N] | end N WHY | lose CHANNEL | advance D |
// timer
// | held
std::unique_ptr<Driver> rendezvous_driver();

// job nodes=N ranks-per-node=N [options: job_commands.cc] | admit | node-up N [incarnation=N] | place-failed N WHY
// | lost N WHY | report N [attempt=N] [incarnation=N] [starting|running|stopping] [rank=N …] [exit=STATUS] [quiet]
// [service_failure=TEXT] | judged none|stopped|stuck|waiting|quiet|hung [rank=N] [for=D] [attempt=N] [WHERE]
// | stop grace=D [WHY] | kill | advance D | timer KIND | repeat | standing | takeover
std::unique_ptr<Driver> job_driver();

// machine [gpus=N] [cpus=N] [memory=N] | job NAME [gpus=N] [cpus=N] [memory=N] [priority=N] [visible=0,1] [hold] [take]
// | other WHO [gpus=0,1] [cpus=0,1] [memory=N] [foreign] | end NAME-OR-WHO | hold NAME | release NAME | first NAME
// | last NAME | before NAME OTHER | after NAME OTHER | priority NAME N | advance D. Memory is in GiB.
std::unique_ptr<Driver> queue_driver();

}  // namespace muster::scenario
