// Rules on failures as a job file writes them: [group NAME] (exit N | SIGNAL | oom | exception NAME | message TEXT | lost |
// hang), or `group NAME` alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/job/exit_status.h"
#include "core/job/job_spec.h"

namespace muster {

std::string to_string(const FailureRule& rule);  // as the file writes it

// Nothing where `text` is no rule.
std::optional<FailureRule> parse_failure_rule(std::string_view text);
// What may have been meant by a text that is none: "SIGBUS" by "BUS".
std::optional<std::string> failure_rule_meant(const std::string& text);

// Whether a rank that ended like this is meant. Groups, and what is no end of a rank (lost, hang), are the caller's.
bool matches(const FailureRule& rule, const ExitStatus& status);

// Whether `pattern`, in which `*` stands for any bytes, occurs in `text`.
bool contains_pattern(std::string_view text, std::string_view pattern);

}  // namespace muster
