#include "core/worker/collective/communicator.h"

#include <algorithm>
#include <charconv>

#include "core/worker/collective/socket_interface.h"

namespace muster::worker {
namespace {

constexpr size_t longest_name = 100;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Status Communicator::check_name(const std::string& name) {
  if (!name.empty() && name.size() <= longest_name) return Status();
  return Status(Code::invalid_argument, "a communicator's name has 1 to " + std::to_string(longest_name) +
                                            " bytes, not " + std::to_string(name.size()));
}

// Which opening (or growth) of this name in this attempt it is, from 1. Kept in the store and not here, since a process
// that rejoins the next attempt must count with ranks that have just started.
Result<uint64_t> Communicator::opening_number(Meeting& meeting, const std::string& name, const std::string& what) {
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

Communicator::Communicator(Meeting& meeting, Roster roster, const CommunicatorOptions& options)
    : meeting_(meeting),
      roster_(std::move(roster)),
      options_(options),
      watch_(meeting, roster_, options.timeout, [this] { interrupt(); }) {}

Communicator::~Communicator() {
  // Both may interrupt the transport, which goes next.
  meeting_.forget(on_broken_);
  watch_.stop();
}

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
  made->on_broken_ = meeting.on_broken([communicator = made.get()](const std::string& why) {
    communicator->watch_.fail(Status(Code::aborted, "`" + communicator->roster_.name + "` cannot go on: " + why));
  });
  if (Status status = made->connect(origin); !status.ok()) return status;
  return made;
}

Status Communicator::connect(const Origin& origin) {
  Offer mine;
  mine.wanted = options_.backend;
  if (mine.wanted != Backend::gloo) mine.nccl_lacks = NcclTransport::lacks();
  const auto* sibling =
      origin.parent == nullptr ? nullptr : dynamic_cast<const GlooTransport*>(origin.parent->transport_.get());
  std::unique_ptr<GlooTransport> gloo;
  if (mine.wanted == Backend::gloo || (mine.wanted == Backend::automatic && !mine.nccl_lacks.empty())) {
    auto made = GlooTransport::make(rank(), size(), meeting_.address(), seconds(options_.timeout), sibling);
    if (!made.ok()) {
      mine.gloo_lacks = made.status().message();
    } else {
      gloo = std::move(*made);
      mine.card = gloo->card();
    }
  }
  Result<std::vector<Offer>> offers = exchange("offer", mine);
  if (!offers.ok()) return offers.status();
  const Result<Backend> backend = agree(roster_, *offers);
  if (!backend.ok()) return backend.status();
  if (*backend == Backend::gloo) return connect_gloo(std::move(gloo), std::move(*offers), sibling);
  return connect_nccl(origin);
}

// By the parent's communicator where this version of NCCL can.
Communicator::Way Communicator::way_of(const Origin& origin, const NcclTransport* near,
                                       const NcclTransport& made) const {
  if (origin.grown_from > 0) return origin.grown_from < size() && made.can_grow() ? Way::grow : Way::anew;
  if (near == nullptr) return Way::anew;
  if (origin.gone != nullptr) return near->can_shrink() ? Way::shrink : Way::anew;
  return near->can_split() ? Way::split : Way::anew;
}

// Anew with ids that the first ranks make; to grow, with one of the parent's first rank.
Status Communicator::connect_nccl(const Origin& origin) {
  choose_socket_interface(meeting_.address());
  auto made = NcclTransport::make(rank(), size(), options_.stream);
  Offer mine;
  if (!made.ok()) mine.nccl_lacks = made.status().message();
  auto* near = origin.parent == nullptr ? nullptr : dynamic_cast<NcclTransport*>(origin.parent->transport_.get());
  const Way way = made.ok() ? way_of(origin, near, **made) : Way::anew;
  const bool by_parent = way == Way::grow && near != nullptr && rank() == 0;
  if (by_parent || (way == Way::anew && made.ok() && (*made)->own_id() >= 0)) {
    const Result<std::string> id = by_parent ? near->make_grow_id() : (*made)->make_id();
    if (id.ok())
      mine.card = *id;
    else
      mine.nccl_lacks = id.status().message();
  }
  mine.wanted = Backend::nccl;
  const Result<std::vector<Offer>> offers = exchange("nccl", mine);
  if (!offers.ok()) return offers.status();
  if (const Result<Backend> agreed = agree(roster_, *offers); !agreed.ok()) return agreed.status();
  std::vector<std::string> ids;
  for (const Offer& offer : *offers) {
    if (!offer.card.empty()) ids.push_back(offer.card);
  }
  NcclTransport& connecting = **made;
  adopt(std::move(*made));
  if (Status broken = watch_.enter({}); !broken.ok()) return broken;
  switch (way) {
    case Way::split: return finish(connecting.connect_by_split(*near, origin.color, origin.key));
    case Way::shrink: return finish(connecting.connect_by_shrink(*near, *origin.gone));
    case Way::grow: return finish(connecting.connect_by_grow(near, ids));
    case Way::anew: break;
  }
  return finish(connecting.connect(ids));
}

// A rank that has NCCL did not know that others have not, so it brings its card in a second round.
Status Communicator::connect_gloo(std::unique_ptr<GlooTransport> gloo, std::vector<Offer> offers,
                                  const GlooTransport* sibling) {
  const bool all_there =
      std::none_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.card.empty(); });
  if (!all_there && size() > 1) {
    Offer mine{Backend::gloo, "", "", ""};
    if (!gloo) {
      auto made = GlooTransport::make(rank(), size(), meeting_.address(), seconds(options_.timeout), sibling);
      if (made.ok())
        gloo = std::move(*made);
      else
        mine.gloo_lacks = made.status().message();
    }
    if (gloo) mine.card = gloo->card();
    Result<std::vector<Offer>> second = exchange("card", mine);
    if (!second.ok()) return second.status();
    offers = std::move(*second);
    if (const Result<Backend> backend = agree(roster_, offers); !backend.ok()) return backend.status();
  }
  std::vector<std::string> cards;
  for (const Offer& offer : offers) cards.push_back(offer.card);
  GlooTransport& connecting = *gloo;
  adopt(std::move(gloo));
  if (Status broken = watch_.enter({}); !broken.ok()) return broken;
  return finish(connecting.connect(cards));
}

// Why a fence failed: the attempt's end is ABORTED, as it is for a call that was under way.
Status Communicator::unmet(const Status& fence, const std::string& doing) {
  if (const Status known = watch_.failure(); !known.ok()) return known;
  const std::string why = fence.code() == Code::deadline_exceeded ? "" : meeting_.broken(Duration::zero());
  if (why.empty()) return fence.with_context(doing + " `" + roster_.name + "`");
  return Status(Code::aborted, "`" + roster_.name + "` cannot go on: " + why);
}

Result<std::vector<Offer>> Communicator::exchange(const std::string& what, const Offer& mine) {
  const auto values = meeting_.fence(roster_.prefix + "/" + what, encode(mine), roster_.sorted(), options_.timeout);
  if (!values.ok()) return unmet(values.status(), "opening");
  std::vector<Offer> offers;
  for (const std::string& value : roster_.by_rank(*values)) {
    Result<Offer> offer = decode_offer(value);
    if (!offer.ok()) return offer.status();
    offers.push_back(std::move(*offer));
  }
  return offers;
}

void Communicator::adopt(std::unique_ptr<Transport> transport) {
  std::lock_guard lock(transport_mutex_);
  transport_ = std::move(transport);
  // What broke before there was a transport to interrupt.
  if (!watch_.failure().ok()) transport_->interrupt();
}

void Communicator::interrupt() {
  std::lock_guard lock(transport_mutex_);
  if (transport_) transport_->interrupt();
}

void Communicator::abandon() {
  std::lock_guard lock(transport_mutex_);
  if (transport_) transport_->abandon();
}

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

// Over the transport where it carries host memory, so that a rank that calls something else instead is found out as for
// any collective.
Result<std::vector<std::pair<int32_t, int32_t>>> Communicator::colors(int32_t color, int32_t key,
                                                                      const std::string& prefix) {
  std::vector<std::pair<int32_t, int32_t>> all(size());
  if (backend() == Backend::gloo) {
    static_assert(sizeof(all[0]) == 2 * sizeof(int32_t));
    const int32_t mine[2] = {color, key};
    const Status status = perform(Call{.kind = Kind::split, .type = Type::int32, .count = 2}, mine, all.data());
    if (!status.ok()) return status;
    return all;
  }
  const std::string value = std::to_string(color) + " " + std::to_string(key);
  const auto values = meeting_.fence(prefix, value, roster_.sorted(), options_.timeout);
  if (!values.ok()) return unmet(values.status(), "split of");
  const std::vector<std::string> by_rank = roster_.by_rank(*values);
  for (uint32_t other = 0; other < size(); ++other) {
    const std::string& text = by_rank[other];
    const auto space = std::from_chars(text.data(), text.data() + text.size(), all[other].first).ptr;
    std::from_chars(space + 1, text.data() + text.size(), all[other].second);
  }
  return all;
}

// NCCL's own split is collective over the parent, ranks of no color included.
Communicator::Opened Communicator::without_color() {
  auto* parent = dynamic_cast<NcclTransport*>(transport_.get());
  if (parent == nullptr || !parent->can_split()) return std::unique_ptr<Communicator>();
  auto nothing = NcclTransport::make(rank(), size(), options_.stream);
  if (!nothing.ok()) return nothing.status();
  std::lock_guard lock(calls_);
  if (Status broken = watch_.enter({}); !broken.ok()) return broken;
  const Status status = finish((*nothing)->connect_by_split(*parent, -1, 0));
  if (!status.ok()) return status;
  return std::unique_ptr<Communicator>();
}

Communicator::Opened Communicator::split(int32_t color, int32_t key, const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  if (Status broken = watch_.failure(); !broken.ok()) return broken;
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
  return child(std::move(roster), name, {this, color, key, nullptr, 0});
}

Communicator::Opened Communicator::shrink(const std::vector<uint32_t>& gone, const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  const bool sorted = std::is_sorted(gone.begin(), gone.end(), std::less_equal<>());
  const bool known = gone.empty() || gone.back() < size();
  if (!known || (gone.size() > 1 && !sorted)) {
    return Status(Code::invalid_argument, "shrink of `" + roster_.name +
                                              "`: the ranks that are gone are to be sorted, each once, and below " +
                                              std::to_string(size()));
  }
  if (std::binary_search(gone.begin(), gone.end(), rank())) {
    return Status(Code::invalid_argument,
                  "shrink of `" + roster_.name + "`: " + roster_.name_of(rank()) + " is itself among those gone");
  }
  Roster roster{name, child_prefix("shrink", name), {}, 0};
  for (uint32_t member = 0; member < size(); ++member) {
    if (std::binary_search(gone.begin(), gone.end(), member)) continue;
    if (member == rank()) roster.rank = roster.size();
    roster.members.push_back(roster_.members[member]);
  }
  // Ranks that take others for gone must not meet.
  for (const uint32_t member : gone) roster.prefix += "-" + std::to_string(member);
  return child(std::move(roster), name, {this, 0, 0, &gone, 0});
}

}  // namespace muster::worker
