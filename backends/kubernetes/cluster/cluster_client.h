// ClusterClient: a cluster as commands see a controller. A job whose coordinator runs answers for itself, over `kubectl exec`; of the
// others, and where exec is denied, the cluster's own facts are told (cluster_view.h). Loop thread only.
//
// Calls block for as long as kubectl and the coordinator take. What needs a controller of the user's own (queues, idle agents,
// retention) is unimplemented, and says so.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_jobs.h"
#include "core/port/control.h"

namespace muster {

class ClusterClient final : public ControlClient {
 public:
  // `image`: of muster, where a job names none.
  ClusterClient(FdLoop& loop, KubectlAccess access, std::string image, std::function<void(const std::string&)> remark);

  Result<JobView> submit(const SubmitRequest& request) override;
  Result<std::vector<JobView>> list(const ListRequest& request) override;
  Result<JobView> describe(const DescribeRequest& request) override;
  // Where nobody can be asked the JobSet is deleted, and with it all of the job.
  Status stop(const std::string& job, int signal, Duration grace) override;
  Result<JobView> arrange(const ArrangeRequest& request) override;
  // Deletes the JobSet of a job that has ended.
  Status remove(const std::string& job) override;
  Status type(const TtyBytes& typed) override;
  Status note_code(const std::string& job, const std::string& commit) override;
  Result<ControllerInfo> info() override;
  Result<Pruned> prune(const PruneRequest& request) override;
  Result<uint32_t> end_idle_agents() override;
  Status shutdown(bool force) override;
  std::unique_ptr<ExecChannel> exec(const ExecStart& start) override;
  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override;

 private:
  Result<std::vector<PodFacts>> pods_for_list(const std::vector<JobSetFacts>& jobs);
  Result<JobView> told_by_coordinator(const DescribeRequest& request, const PodFacts& pod);
  Result<JobView> told_by_cluster(const JobSetFacts& job, std::vector<PodFacts> coordinator);
  using PodsByJob = std::map<std::string, std::vector<PodFacts>>;
  std::map<std::string, JobView> told_by_coordinators(const ListRequest& request, const PodsByJob& pods);
  void tell_wait_of(JobView& view);
  void tell_deaths_of(JobView& view);
  bool is_over(const JobSetFacts& job, const std::vector<PodFacts>& pods);
  Result<ControlClient*> coordinator(const std::string& word, std::string& name);

  const std::shared_ptr<ClusterJobs> jobs_;
  const std::string image_;
};

}  // namespace muster
