// The attempts of a job in retrospect. Where groups begin anew by themselves, each is one group's. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

// Those that the group took part in, oldest first.
std::vector<const AttemptView*> attempts_of(const JobView& job, const std::string& group);

// Null: it has begun none.
const AttemptView* newest_attempt_of(const JobView& job, const std::string& group);

// The one that failed last; null: none did.
const AttemptView* last_failure(const JobView& job);

// Whether anybody ever began anew.
bool was_restarted(const JobView& job);

// Whether groups begin anew by themselves.
bool by_group(const JobView& job);

// When it failed, was stopped or had succeeded, whatever long its ranks took to end; zero: it goes on.
TimePoint end_of(const AttemptView& attempt);

// From the end of an attempt to the moment the next one ran; "–" when there was none.
std::string recovery_after(const JobView& job, const AttemptView& attempt);

}  // namespace muster
