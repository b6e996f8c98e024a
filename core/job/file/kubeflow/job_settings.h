// SPDX-License-Identifier: Apache-2.0
// Reads the settings of the whole job from a manifest: name, labels, limits, restarts. Private to core/job/file/kubeflow.
#pragma once

#include <optional>
#include <string>

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// Nodes, processes and restarts of a job.
constexpr uint64_t kLargestCount = 1'000'000;

// Name, labels, annotations and namespace of the object.
void read_metadata(Reading& reading, YamlNode& job, const YamlNode& object);
// In a cluster, the label of Kueue is the queue of the job too.
void add_labels(const Reading& reading, YamlNode& job, const YamlNode* labels);
void add_annotations(const Reading& reading, YamlNode& job, const YamlNode* annotations);

// activeDeadlineSeconds, ttlSecondsAfterFinished and suspend of `spec`, which may be null.
void read_limits(Reading& reading, YamlNode& job, const YamlNode* spec);

// Sets timeouts.run, unless a shorter one is there.
void limit_run_time(YamlNode& job, uint64_t seconds, const SourceRange& where);

// Limits of a Job that a JobSet runs, which may be null. The shortest deadline is that of the job.
void read_limits_of_job(Reading& reading, YamlNode& job, const YamlNode* spec);

constexpr std::string_view kJobController = "kubernetes.io/job-controller";

// `managedBy` of another controller than `usual` is refused.
void check_manager(Reading& reading, const YamlNode* spec, std::string_view usual);

// Sets restarts.limit, unless a larger one is there. `count` may be null.
void add_restarts(YamlNode& job, const YamlNode* count);

// As add_restarts(), for a field of the manifest: a negative number is an error.
void read_restarts(Reading& reading, YamlNode& job, const YamlNode* count, const std::string& name);

// nullopt: null, or no whole number.
std::optional<uint64_t> number_in(const YamlNode* node);

// A whole number that is at least `low`; nullopt, after reporting it, if it is smaller or no number. `node` may be null.
std::optional<uint64_t> count_at_least(Reading& reading, const YamlNode* node, uint64_t low, const std::string& name);

}  // namespace muster
