// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/opening.h"

#include <algorithm>

#include "core/worker/collective/socket_interface.h"

namespace muster::worker {

Status Opening::connect() {
  Offer mine;
  mine.wanted = options_.backend;
  if (mine.wanted != Backend::gloo) mine.nccl_lacks = NcclTransport::lacks();
  std::unique_ptr<GlooTransport> gloo;
  if (mine.wanted == Backend::gloo || (mine.wanted == Backend::automatic && !mine.nccl_lacks.empty())) {
    auto made = make_gloo();
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
  if (*backend == Backend::gloo) return connect_gloo(std::move(gloo), std::move(*offers));
  return connect_nccl();
}

Result<std::unique_ptr<GlooTransport>> Opening::make_gloo() const {
  const double timeout = std::chrono::duration<double>(options_.timeout).count();
  return GlooTransport::make(roster_.rank, roster_.size(), meeting_.address(), timeout,
                             dynamic_cast<const GlooTransport*>(origin_.parent));
}

// A rank with NCCL did not know in the first round that others lack it, so the cards are exchanged in a second round.
Status Opening::connect_gloo(std::unique_ptr<GlooTransport> gloo, std::vector<Offer> offers) {
  const bool all_there =
      std::none_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.card.empty(); });
  if (!all_there && roster_.size() > 1) {
    Offer mine{Backend::gloo, "", "", ""};
    if (!gloo) {
      auto made = make_gloo();
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
  carrier_.adopt(std::move(gloo));
  return carrier_.open([&] { return connecting.connect(cards); });
}

// Derives the communicator from the parent's if this version of NCCL supports it.
Opening::Way Opening::way_of(const NcclTransport* near, const NcclTransport& made) const {
  if (origin_.grown_from > 0) return origin_.grown_from < roster_.size() && made.can_grow() ? Way::grow : Way::anew;
  if (near == nullptr) return Way::anew;
  if (origin_.gone != nullptr) return near->can_shrink() ? Way::shrink : Way::anew;
  return near->can_split() ? Way::split : Way::anew;
}

// To connect anew, some ranks create ids; to grow, the parent's first rank creates one.
Status Opening::connect_nccl() {
  choose_socket_interface(meeting_.address());
  auto made = NcclTransport::make(roster_.rank, roster_.size(), options_.stream);
  Offer mine;
  if (!made.ok()) mine.nccl_lacks = made.status().message();
  auto* near = dynamic_cast<NcclTransport*>(origin_.parent);
  const Way way = made.ok() ? way_of(near, **made) : Way::anew;
  const bool by_parent = way == Way::grow && near != nullptr && roster_.rank == 0;
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
  carrier_.adopt(std::move(*made));
  return carrier_.open([&]() -> std::optional<Broken> {
    switch (way) {
      case Way::split: return connecting.connect_by_split(*near, origin_.color, origin_.key);
      case Way::shrink: return connecting.connect_by_shrink(*near, *origin_.gone);
      case Way::grow: return connecting.connect_by_grow(near, ids);
      case Way::anew: break;
    }
    return connecting.connect(ids);
  });
}

Result<std::vector<Offer>> Opening::exchange(const std::string& what, const Offer& mine) {
  const auto values = meeting_.fence(roster_.prefix + "/" + what, encode(mine), roster_.sorted(), options_.timeout);
  if (!values.ok()) return carrier_.unmet(values.status(), "opening");
  std::vector<Offer> offers;
  for (const std::string& value : roster_.by_rank(*values)) {
    Result<Offer> offer = decode_offer(value);
    if (!offer.ok()) return offer.status();
    offers.push_back(std::move(*offer));
  }
  return offers;
}

}  // namespace muster::worker
