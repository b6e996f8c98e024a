#include "launcher/exec/guest_viewer.h"

#include <utility>

namespace muster {

GuestViewer::GuestViewer(FdLoop& loop, std::unique_ptr<GuestChannel> channel, const ViewerEnds& ends, Handlers handlers)
    : channel_(std::move(channel)),
      handlers_(std::move(handlers)),
      out_(sink(loop, ends.out, GuestStream::out)),
      err_(sink(loop, ends.err, GuestStream::err)) {
  channel_->listen([this](const GuestFrame& frame) { heard(frame); },
                   [this](const Status& why) {
                     end({std::nullopt, static_cast<int>(why.code()), why.message()});
                   });
  if (ends.in < 0) {
    channel_->send({0, GuestBytes{GuestStream::in, "", true}});
    return;
  }
  in_ = std::make_shared<ByteSource>(loop, ends.in, [this](std::string_view bytes) { read(bytes); });
  in_->allow(kGuestWindow);
}

GuestViewer::~GuestViewer() {
  if (in_) in_->close();
  out_->close();
  err_->close();
}

std::shared_ptr<ByteSink> GuestViewer::sink(FdLoop& loop, int fd, GuestStream stream) {
  return std::make_shared<ByteSink>(loop, fd,
                                    ByteSink::Handlers{.taken =
                                                           [this, stream](size_t bytes) {
                                                             channel_->send({0, GuestTaken{stream, bytes}});
                                                           },
                                                       .broken = [this](int error) { handlers_.broken(error); },
                                                       .drained = [this] { settle(); }});
}

void GuestViewer::read(std::string_view bytes) {
  if (bytes.empty()) return channel_->send({0, GuestBytes{GuestStream::in, "", true}});
  std::string typed = handlers_.typed(bytes);
  if (!typed.empty()) channel_->send({0, GuestBytes{GuestStream::in, std::move(typed), false}});
}

void GuestViewer::heard(const GuestFrame& frame) {
  if (const auto* bytes = std::get_if<GuestBytes>(&frame.part)) obey(*bytes);
  if (const auto* taken = std::get_if<GuestTaken>(&frame.part); taken && in_) in_->allow(taken->bytes);
  if (const auto* ended = std::get_if<GuestEnd>(&frame.part)) end(*ended);
}

void GuestViewer::obey(const GuestBytes& bytes) {
  if (bytes.bytes.empty()) return;
  (bytes.stream == GuestStream::err ? err_ : out_)->write(bytes.bytes);
}

void GuestViewer::end(GuestEnd end) {
  if (!end_) end_ = std::move(end);
  if (in_) in_->close();
  settle();
}

void GuestViewer::settle() {
  if (!end_ || !out_->empty() || !err_->empty() || std::exchange(over_, true)) return;
  handlers_.over(*end_);
}

}  // namespace muster
