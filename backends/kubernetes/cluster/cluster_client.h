// SPDX-License-Identifier: Apache-2.0
// ClusterClient: the JobClient interface for a cluster. If a job's coordinator runs, it is asked over `kubectl exec`. Otherwise, or if
// the user may not exec, answers come from the cluster's own objects (cluster_view.h). Loop thread only.
//
// Calls block until kubectl and the coordinator have answered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_jobs.h"
#include "core/port/control.h"

namespace muster {

class ClusterClient final : public JobClient {
 public:
  // `image`: muster's image for jobs that do not set one. `remark`: gets notes for the user.
  ClusterClient(FdLoop& loop, KubectlAccess access, std::string image, std::function<void(const std::string&)> remark);

  Result<JobView> submit(const SubmitRequest& request) override;
  Result<std::vector<JobView>> list(const ListRequest& request) override;
  Result<JobView> describe(const DescribeRequest& request) override;
  // If the coordinator cannot be asked, deletes the JobSet with everything it owns.
  Status stop(const std::string& job, int signal, Duration grace) override;
  // Deletes the JobSet of a job that has ended.
  Status remove(const std::string& job) override;
  Status type(const TtyBytes& typed) override;
  std::unique_ptr<ExecChannel> exec(const ExecStart& start) override;
  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override;

 private:
  Result<std::vector<PodFacts>> pods_for_list(const std::vector<JobSetFacts>& jobs);
  Result<JobView> view_of_coordinator(const DescribeRequest& request, const PodFacts& pod);
  Result<JobView> view_of_cluster(const JobSetFacts& job, std::vector<PodFacts> coordinator);
  using PodsByJob = std::map<std::string, std::vector<PodFacts>>;
  std::map<std::string, JobView> views_of_coordinators(const ListRequest& request, const PodsByJob& pods);
  void add_wait_reason(JobView& view);
  void add_memory_deaths(JobView& view);
  bool is_over(const JobSetFacts& job, const std::vector<PodFacts>& pods);
  Result<ControlClient*> coordinator(const std::string& word, std::string& name);

  const std::shared_ptr<ClusterJobs> jobs_;
  const std::string image_;
};

}  // namespace muster
