// SPDX-License-Identifier: Apache-2.0
#include "core/controller/damaged_job.h"

namespace muster {
namespace {

// A result that only the record has is told, but does not count as a success: its attempts and losses are not known.
constexpr int kDamagedCode = 1;

void set_damaged(JobView& view, const JobRecord& record, const std::string& what) {
  view.state = kDamaged;
  view.done = true;
  view.ended = record.ended;
  view.exit_code = kDamagedCode;
  view.waits_for.clear();
  view.held_by.clear();
  view.sentence = what;
  if (record.state != kDamaged) view.sentence += "; the state of the job in its record is: " + record.state;
  view.sentence += "; muster rm " + record.name + " deletes the job and its output";
}

}  // namespace

JobView unreadable_view(const JobRecord& record, const Status& why) {
  JobView view;
  view.id = record.id;
  view.name = record.name;
  view.submitted = record.submitted;
  if (record.has_ended() && why.code() == Code::data_loss) {
    set_damaged(view, record, why.message());
    return view;
  }
  view.state = record.state;
  view.done = record.has_ended();
  view.ended = record.ended;
  view.sentence = why.message();
  return view;
}

void complete_view(JobView& view, const JobRecord& record) {
  if (view.done || !record.has_ended()) return;
  set_damaged(view, record, "the journal is damaged: its last lines are lost");
}

}  // namespace muster
