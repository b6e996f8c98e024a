// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/exec_viewer.h"

#include <utility>

namespace muster {

ExecViewer::ExecViewer(FdLoop& loop, std::unique_ptr<ExecChannel> channel, const ViewerEnds& ends, Handlers handlers)
    : channel_(std::move(channel)),
      handlers_(std::move(handlers)),
      out_(sink(loop, ends.out, ExecStream::out)),
      err_(ends.err < 0 ? nullptr : sink(loop, ends.err, ExecStream::err)) {
  channel_->listen([this](const ExecFrame& frame) { received(frame); },
                   [this](const Status& why) {
                     end({std::nullopt, static_cast<int>(why.code()), why.message()});
                   });
  if (ends.in < 0) {
    channel_->send({0, ExecBytes{ExecStream::in, "", true}});
    return;
  }
  in_ = std::make_shared<ByteSource>(loop, ends.in, [this](std::string_view bytes) { read(bytes); });
  in_->allow(kExecWindow);
}

ExecViewer::~ExecViewer() {
  if (in_) in_->close();
  out_->close();
  if (err_) err_->close();
}

std::shared_ptr<ByteSink> ExecViewer::sink(FdLoop& loop, int fd, ExecStream stream) {
  return std::make_shared<ByteSink>(loop, fd,
                                    ByteSink::Handlers{.taken =
                                                           [this, stream](size_t bytes) {
                                                             channel_->send({0, ExecTaken{stream, bytes}});
                                                           },
                                                       .broken = [this](int error) { handlers_.broken(error); },
                                                       .drained = [this] { settle(); }});
}

void ExecViewer::read(std::string_view bytes) {
  if (bytes.empty()) return channel_->send({0, ExecBytes{ExecStream::in, "", true}});
  std::string typed = handlers_.typed(bytes);
  if (!typed.empty()) channel_->send({0, ExecBytes{ExecStream::in, std::move(typed), false}});
}

void ExecViewer::received(const ExecFrame& frame) {
  if (const auto* bytes = std::get_if<ExecBytes>(&frame.part)) print(*bytes);
  if (const auto* taken = std::get_if<ExecTaken>(&frame.part); taken && in_) in_->allow(taken->bytes);
  if (const auto* ended = std::get_if<ExecEnd>(&frame.part)) end(*ended);
}

void ExecViewer::print(const ExecBytes& bytes) {
  if (bytes.bytes.empty()) return;
  if (bytes.stream != ExecStream::err) return out_->write(bytes.bytes);
  if (err_) return err_->write(bytes.bytes);
  channel_->send({0, ExecTaken{ExecStream::err, bytes.bytes.size()}});
  handlers_.errors(bytes.bytes);
}

void ExecViewer::end(ExecEnd end) {
  if (!end_) end_ = std::move(end);
  if (in_) in_->close();
  settle();
}

void ExecViewer::settle() {
  const bool written = out_->empty() && (!err_ || err_->empty());
  if (!end_ || !written || std::exchange(over_, true)) return;
  handlers_.over(*end_);
}

}  // namespace muster
