// SPDX-License-Identifier: Apache-2.0
// Conversion between domain values and wire messages. to_wire never fails. from_wire may meet values that it does not know: it
// then sets `trouble` for the first of them (invalid_argument, with a message) and continues with a default. The caller must drop
// the message. A message of an unknown kind, which a newer peer may send, gives unimplemented: skip it.
//
// Internal to core/wire: wire types go no further. Pure; any thread.
#pragma once

#include "core/base/result.h"
#include "core/port/agent_messages.h"
#include "core/port/control_messages.h"
#include "core/port/exec_messages.h"
#include "core/port/rendezvous_messages.h"
#include "core/port/worker_messages.h"
#include "core/rank/rendezvous_call.h"
#include "proto/agent.pb.h"
#include "proto/common.pb.h"
#include "proto/control.pb.h"
#include "proto/exec.pb.h"
#include "proto/rendezvous.pb.h"
#include "proto/worker.pb.h"

namespace muster {

// convert_common.cc
wire::Status to_wire(const Status& value);
Status from_wire(const wire::Status& message, Status& trouble);
wire::Progress to_wire(const Progress& value);
Progress from_wire(const wire::Progress& message, Status& trouble);
wire::RankFinding to_wire(const RankFinding& value);
RankFinding from_wire(const wire::RankFinding& message, Status& trouble);
wire::RankLocation to_wire(const RankLocation& value);
RankLocation from_wire(const wire::RankLocation& message);
wire::RankUse to_wire(const RankUse& value);
RankUse from_wire(const wire::RankUse& message);
wire::ExitStatus to_wire(const ExitStatus& value);
ExitStatus from_wire(const wire::ExitStatus& message, Status& trouble);

// convert_rendezvous.cc
wire::RendezvousCall to_wire(const RendezvousCall& value);
RendezvousCall from_wire(const wire::RendezvousCall& message, Status& trouble);
wire::RendezvousAnswer to_wire(const RendezvousAnswer& value);
RendezvousAnswer from_wire(const wire::RendezvousAnswer& message, Status& trouble);
wire::RendezvousRequest to_wire(const RendezvousRequest& value);
RendezvousRequest from_wire(const wire::RendezvousRequest& message, Status& trouble);
wire::RendezvousReply to_wire(const RendezvousReply& value);
RendezvousReply from_wire(const wire::RendezvousReply& message, Status& trouble);

// convert_worker.cc
wire::WorkerRequest to_wire(const WorkerCall& value);
WorkerCall from_wire(const wire::WorkerRequest& message, Status& trouble);
// The answer to a call that from_wire() could not read, as from a newer libmuster.
WorkerAnswer cannot_answer(const Status& trouble);
wire::WorkerReply to_wire(const WorkerAnswer& value);
WorkerAnswer from_wire(const wire::WorkerReply& message, Status& trouble);

// convert_exec.cc
wire::ExecFrame to_wire(const ExecFrame& value);
ExecFrame from_wire(const wire::ExecFrame& message, Status& trouble);

// convert_common.cc
wire::OutputFile to_wire(const OutputFile& value);
OutputFile from_wire(const wire::OutputFile& message);

// convert_agent.cc
wire::FromAgent to_wire(const AgentMessage& value);
AgentMessage from_wire(const wire::FromAgent& message, Status& trouble);

// convert_coordinator.cc
wire::ToAgent to_wire(const CoordinatorMessage& value);
CoordinatorMessage from_wire(const wire::ToAgent& message, Status& trouble);

// convert_control.cc
wire::SubmitRequest to_wire(const SubmitRequest& value);
SubmitRequest from_wire(const wire::SubmitRequest& message, Status& trouble);
wire::ArrangeRequest to_wire(const ArrangeRequest& value);
ArrangeRequest from_wire(const wire::ArrangeRequest& message, Status& trouble);
wire::TtyBytes to_wire(const TtyBytes& value);
TtyBytes from_wire(const wire::TtyBytes& message, Status& trouble);
wire::PruneRequest to_wire(const PruneRequest& value);
PruneRequest from_wire(const wire::PruneRequest& message, Status& trouble);
wire::Pruned to_wire(const Pruned& value);
Pruned from_wire(const wire::Pruned& message, Status& trouble);
wire::ControllerInfo to_wire(const ControllerInfo& value);
ControllerInfo from_wire(const wire::ControllerInfo& message, Status& trouble);

// convert_view.cc
wire::JobView to_wire(const JobView& value);
JobView from_wire(const wire::JobView& message, Status& trouble);

// convert_follow.cc. An `end` item is no FollowItem: the caller looks for it first.
wire::FollowRequest to_wire(const FollowRequest& value);
FollowRequest from_wire(const wire::FollowRequest& message, Status& trouble);
wire::FollowItem to_wire(const FollowItem& value);
FollowItem from_wire(const wire::FollowItem& message, Status& trouble);

}  // namespace muster
