// SPDX-License-Identifier: Apache-2.0
// Rules for failures in a job file: [group NAME] (exit N | SIGNAL | oom | exception NAME | message TEXT | lost | hang),
// or `group NAME` alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/job/exit_status.h"
#include "core/job/job_spec.h"

namespace muster {

std::string to_string(const FailureRule& rule);  // as in the job file

// nullopt if `text` is not a rule.
std::optional<FailureRule> parse_failure_rule(std::string_view text);
// A suggestion for a text that is not a rule: "SIGBUS" for "BUS".
std::optional<std::string> failure_rule_meant(const std::string& text);

// Whether the rule applies to a rank with this exit status. The caller checks the group, and the rules lost and hang,
// which are not about an exit status.
bool matches(const FailureRule& rule, const ExitStatus& status);

// Whether `pattern`, in which `*` stands for any bytes, occurs in `text`.
bool contains_pattern(std::string_view text, std::string_view pattern);

}  // namespace muster
