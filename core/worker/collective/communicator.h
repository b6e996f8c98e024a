// Communicator: a set of ranks that compute together, over Gloo or NCCL. What each call does is said in muster.h.
//
// Calls of one communicator are made one at a time (another thread's waits), in one order on all its ranks; a send is
// done when its receiver has taken it. What fails, fails on every rank: by what broke the attempt, by ranks that
// disagree, or by the deadline (a rank whose part in a broadcast was done by then: in its next call); afterwards every
// call fails with the same sentence. The meeting must outlive the communicator. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/worker/collective/gloo_transport.h"
#include "core/worker/collective/nccl_transport.h"
#include "core/worker/collective/offer.h"
#include "core/worker/collective/roster.h"
#include "core/worker/collective/transport.h"
#include "core/worker/collective/watch.h"
#include "core/worker/meeting.h"

namespace muster::worker {

struct CommunicatorOptions {
  std::string name = "world";
  Backend backend = Backend::automatic;
  Duration timeout = std::chrono::minutes(30);  // of opening and of each call
  void* stream = nullptr;                       // NCCL's
};

class Communicator {
 public:
  using Opened = Result<std::unique_ptr<Communicator>>;

  // Every rank of the world calls it. Fails on all or on none, but for what is no argument at all.
  static Opened open(Meeting& meeting, const CommunicatorOptions& options);
  // Every rank of this communicator calls it. Null: the color is negative.
  Opened split(int32_t color, int32_t key, const std::string& name);
  // Every rank of this communicator but those of `gone` (sorted) calls it; this one may have failed.
  Opened shrink(const std::vector<uint32_t>& gone, const std::string& name);
  // Every rank of `members` (of the world, sorted) calls it: those of `parent`, all of which are members, with it,
  // those who join with null. The parent must have nothing under way and lives on. Ranks that disagree are named on all
  // of them. A name is for one set of members: ranks of another, and those who try again after a failure, would meet
  // the wrong ones under it.
  static Opened grow(Meeting& meeting, Communicator* parent, const std::vector<uint32_t>& members,
                     const std::string& name);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  uint32_t rank() const { return roster_.rank; }
  uint32_t size() const { return roster_.size(); }
  Backend backend() const { return transport_->backend(); }
  const std::string& name() const { return roster_.name; }

  Status all_reduce(const void* in, void* out, size_t count, Type type, Reduce reduce);
  Status reduce_scatter(const void* in, void* out, size_t count, Type type, Reduce reduce);
  Status all_gather(const void* in, void* out, size_t count, Type type);
  Status broadcast(void* data, size_t count, Type type, uint32_t root);
  Status send(const void* data, size_t count, Type type, uint32_t to);
  Status receive(void* data, size_t count, Type type, uint32_t from);
  Status barrier();
  Status synchronize();

 private:
  Communicator(Meeting& meeting, Roster roster, const CommunicatorOptions& options);
  // Of which communicator, and how, one is made.
  struct Origin {
    Communicator* parent = nullptr;  // null: of the world
    int32_t color = 0, key = 0;
    const std::vector<uint32_t>* gone = nullptr;  // null: not by shrink
    uint32_t grown_from = 0;                      // how many ranks the parent had; 0: not by grow
  };
  enum class Way { anew, split, shrink, grow };
  static Status check_name(const std::string& name);
  static Result<uint64_t> opening_number(Meeting& meeting, const std::string& name, const std::string& what);
  Way way_of(const Origin& origin, const NcclTransport* near, const NcclTransport& made) const;
  static Opened connected(Meeting& meeting, Roster roster, const CommunicatorOptions& options, const Origin& origin);
  Status connect(const Origin& origin);
  Status connect_nccl(const Origin& origin);
  Result<std::vector<Offer>> exchange(const std::string& what, const Offer& mine);
  Status connect_gloo(std::unique_ptr<GlooTransport> gloo, std::vector<Offer> offers, const GlooTransport* sibling);
  Status unmet(const Status& fence, const std::string& doing);
  void adopt(std::unique_ptr<Transport> transport);
  void interrupt();
  void abandon();
  Status check(const Call& call, const void* in, const void* out) const;
  Status perform(Call call, const void* in, void* out);
  Status finish(const std::optional<Broken>& broken);
  Result<std::vector<std::pair<int32_t, int32_t>>> colors(int32_t color, int32_t key, const std::string& prefix);
  Opened without_color();
  Opened child(Roster roster, const std::string& name, const Origin& origin) const;
  std::string child_prefix(const std::string& what, const std::string& name);

  Meeting& meeting_;
  const Roster roster_;
  const CommunicatorOptions options_;
  Watch watch_;
  // mutex: the transport comes while the attempt may break, on the meeting's thread
  std::mutex transport_mutex_;
  std::unique_ptr<Transport> transport_;
  uint64_t on_broken_ = 0;
  // mutex: calls of several threads are one after the other
  std::mutex calls_;
  uint64_t collectives_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> messages_;  // of each pair (from, to)
  std::vector<Call> unfinished_;                                // NCCL: put on the stream since it was last waited for
  std::map<std::string, uint64_t> children_;                    // how many of each name
};

}  // namespace muster::worker
