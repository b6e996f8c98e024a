// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/communicator.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/worker/collective/assembly.h"

namespace muster::worker {
namespace {

constexpr size_t longest_name = 100;

Status check_name(const std::string& name) {
  if (!name.empty() && name.size() <= longest_name) return Status();
  return Status(Code::invalid_argument, "a communicator's name must have 1 to " + std::to_string(longest_name) +
                                            " bytes, not " + std::to_string(name.size()));
}

// The 1-based number of this opening (or growth) of the name in this attempt. It is kept in the store, because a process
// that rejoins the next attempt must count like ranks that have just started.
Result<uint64_t> opening_number(Meeting& meeting, const std::string& name, const std::string& what) {
  const std::string key = "communicator/" + name + "/" + what + "/" + std::to_string(meeting.rank());
  uint64_t number = 0;
  const Result<std::string> value = meeting.get(key);
  if (value.ok()) {
    std::from_chars(value->data(), value->data() + value->size(), number);
  } else if (value.status().code() != Code::not_found) {
    return value.status();
  }
  ++number;
  if (Status set = meeting.set(key, std::to_string(number)); !set.ok()) return set;
  return number;
}

Status check_members(const RankMember& member, const std::vector<uint32_t>& members, const std::string& name) {
  const std::set<uint32_t> all(members.begin(), members.end());
  const bool sorted = std::equal(members.begin(), members.end(), all.begin(), all.end());
  if (sorted && !all.empty() && *all.rbegin() < member.world_size() && all.count(member.rank()) > 0) return Status();
  return Status(Code::invalid_argument, "growing `" + name + "`: the members must be ranks of the world (below " +
                                            std::to_string(member.world_size()) +
                                            "), sorted, each once, and include this rank (" +
                                            std::to_string(member.rank()) + ")");
}

}  // namespace

Communicator::Communicator(Meeting& meeting, Roster roster, const CommunicatorOptions& options)
    : meeting_(meeting),
      roster_(std::move(roster)),
      options_(options),
      carrier_(meeting, roster_, options.timeout) {}

Communicator::Opened Communicator::open(Meeting& meeting, const CommunicatorOptions& options) {
  if (Status name = check_name(options.name); !name.ok()) return name;
  const Result<uint64_t> number = opening_number(meeting, options.name, "opened");
  if (!number.ok()) return number.status().with_context("opening `" + options.name + "`");
  Roster roster{options.name, "communicator/" + options.name + "#" + std::to_string(*number), {}, meeting.rank()};
  for (uint32_t rank = 0; rank < meeting.world_size(); ++rank) roster.members.push_back(rank);
  return connected(meeting, std::move(roster), options, {});
}

Communicator::Opened Communicator::connected(Meeting& meeting, Roster roster, const CommunicatorOptions& options,
                                             const Origin& origin) {
  std::unique_ptr<Communicator> made(new Communicator(meeting, std::move(roster), options));
  Opening opening(meeting, made->roster_, made->options_, made->carrier_, origin);
  if (Status status = opening.connect(); !status.ok()) return status;
  return made;
}

Status Communicator::all_reduce(const void* in, void* out, size_t count, Type type, Reduce reduce) {
  return carrier_.perform(Call{.kind = Kind::all_reduce, .type = type, .reduce = reduce, .count = count}, in, out);
}

Status Communicator::reduce_scatter(const void* in, void* out, size_t count, Type type, Reduce reduce) {
  return carrier_.perform(Call{.kind = Kind::reduce_scatter, .type = type, .reduce = reduce, .count = count}, in, out);
}

Status Communicator::all_gather(const void* in, void* out, size_t count, Type type) {
  return carrier_.perform(Call{.kind = Kind::all_gather, .type = type, .count = count}, in, out);
}

Status Communicator::broadcast(void* data, size_t count, Type type, uint32_t root) {
  return carrier_.perform(Call{.kind = Kind::broadcast, .type = type, .from = root, .count = count}, data, data);
}

Status Communicator::send(const void* data, size_t count, Type type, uint32_t to) {
  return carrier_.perform(Call{.kind = Kind::send, .type = type, .from = rank(), .to = to, .count = count}, data,
                          nullptr);
}

Status Communicator::receive(void* data, size_t count, Type type, uint32_t from) {
  return carrier_.perform(Call{.kind = Kind::receive, .type = type, .from = from, .to = rank(), .count = count},
                          nullptr, data);
}

Status Communicator::barrier() { return carrier_.perform(Call{.kind = Kind::barrier}, nullptr, nullptr); }

Status Communicator::synchronize() { return carrier_.synchronize(); }

Communicator::Opened Communicator::child(Roster roster, const std::string& name, const Origin& origin) const {
  CommunicatorOptions options = options_;
  options.name = name;
  options.backend = backend();
  return connected(meeting_, std::move(roster), options, origin);
}

std::string Communicator::child_prefix(const std::string& what, const std::string& name) {
  const std::string path = roster_.prefix + "/" + what + ":" + name;
  return path + "#" + std::to_string(++children_[path]);
}

// Uses the transport if it carries host memory, so that a rank that makes another call is detected as for any collective.
Result<std::vector<std::pair<int32_t, int32_t>>> Communicator::colors(int32_t color, int32_t key,
                                                                      const std::string& prefix) {
  std::vector<std::pair<int32_t, int32_t>> all(size());
  if (backend() == Backend::gloo) {
    static_assert(sizeof(all[0]) == 2 * sizeof(int32_t));
    const int32_t mine[2] = {color, key};
    const Status status =
        carrier_.perform(Call{.kind = Kind::split, .type = Type::int32, .count = 2}, mine, all.data());
    if (!status.ok()) return status;
    return all;
  }
  const std::string value = std::to_string(color) + " " + std::to_string(key);
  const auto values = meeting_.fence(prefix, value, roster_.sorted(), options_.timeout);
  if (!values.ok()) return carrier_.unmet(values.status(), "split of");
  const std::vector<std::string> by_rank = roster_.by_rank(*values);
  for (uint32_t other = 0; other < size(); ++other) {
    const std::string& text = by_rank[other];
    const auto space = std::from_chars(text.data(), text.data() + text.size(), all[other].first).ptr;
    std::from_chars(space + 1, text.data() + text.size(), all[other].second);
  }
  return all;
}

// NCCL's own split is collective over the parent, so ranks without a color take part.
Communicator::Opened Communicator::without_color() {
  auto* parent = dynamic_cast<NcclTransport*>(carrier_.transport());
  if (parent == nullptr || !parent->can_split()) return std::unique_ptr<Communicator>();
  auto nothing = NcclTransport::make(rank(), size(), options_.stream);
  if (!nothing.ok()) return nothing.status();
  const Status status = carrier_.open([&] { return (*nothing)->connect_by_split(*parent, -1, 0); });
  if (!status.ok()) return status;
  return std::unique_ptr<Communicator>();
}

Communicator::Opened Communicator::split(int32_t color, int32_t key, const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  if (Status broken = carrier_.failure(); !broken.ok()) return broken;
  const std::string prefix = child_prefix("split", name);
  const auto all = colors(color, key, prefix);
  if (!all.ok()) return all.status();
  if (color < 0) return without_color();
  std::vector<uint32_t> ranks;
  for (uint32_t other = 0; other < size(); ++other) {
    if ((*all)[other].first == color) ranks.push_back(other);
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](uint32_t a, uint32_t b) { return (*all)[a].second < (*all)[b].second; });
  Roster roster{name, prefix + "/" + std::to_string(color), {}, 0};
  for (const uint32_t member : ranks) {
    if (member == rank()) roster.rank = roster.size();
    roster.members.push_back(roster_.members[member]);
  }
  return child(std::move(roster), name, {carrier_.transport(), color, key, nullptr, 0});
}

Communicator::Opened Communicator::shrink(const std::vector<uint32_t>& gone, const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  const bool sorted = std::is_sorted(gone.begin(), gone.end(), std::less_equal<>());
  const bool known = gone.empty() || gone.back() < size();
  if (!known || (gone.size() > 1 && !sorted)) {
    return Status(Code::invalid_argument, "shrink of `" + roster_.name +
                                              "`: the ranks that are gone must be sorted, each once, and below " +
                                              std::to_string(size()));
  }
  if (std::binary_search(gone.begin(), gone.end(), rank())) {
    return Status(Code::invalid_argument, "shrink of `" + roster_.name + "`: " + roster_.name_of(rank()) +
                                              " cannot be among the ranks that are gone");
  }
  Roster roster{name, child_prefix("shrink", name), {}, 0};
  for (uint32_t member = 0; member < size(); ++member) {
    if (std::binary_search(gone.begin(), gone.end(), member)) continue;
    if (member == rank()) roster.rank = roster.size();
    roster.members.push_back(roster_.members[member]);
  }
  // Ranks that pass different `gone` must not meet.
  for (const uint32_t member : gone) roster.prefix += "-" + std::to_string(member);
  return child(std::move(roster), name, {carrier_.transport(), 0, 0, &gone, 0});
}

Communicator::Opened Communicator::grow(Meeting& meeting, Communicator* parent, const std::vector<uint32_t>& members,
                                        const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  if (Status bad = check_members(meeting, members, name); !bad.ok()) return bad;
  const Result<uint64_t> number = opening_number(meeting, name, "grown");
  if (!number.ok()) return number.status().with_context("growing `" + name + "`");
  CommunicatorOptions options = parent != nullptr ? parent->options_ : CommunicatorOptions{};
  Claim mine{.number = *number, .members = members};
  if (parent != nullptr) {
    // NCCL grows only communicators without operations in progress.
    mine.wrong = parent->synchronize().message();
    mine.prefix = parent->roster_.prefix;
    mine.name = parent->roster_.name;
    mine.parent = parent->roster_.members;
    mine.backend = parent->backend();
    mine.timeout = options.timeout;
  }
  Assembly assembly(meeting, name, std::move(mine), options.timeout);
  const Result<Claim> growth = assembly.meet();
  if (!growth.ok()) return growth.status();
  Roster roster{name, assembly.prefix(growth->number), grown(*growth), 0};
  while (roster.members[roster.rank] != meeting.rank()) ++roster.rank;
  options.name = name;
  options.backend = growth->backend;
  options.timeout = growth->timeout;
  Origin origin;
  origin.parent = parent != nullptr ? parent->carrier_.transport() : nullptr;
  origin.grown_from = static_cast<uint32_t>(growth->parent.size());
  return connected(meeting, std::move(roster), options, origin);
}

}  // namespace muster::worker
