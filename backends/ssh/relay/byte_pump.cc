// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/byte_pump.h"

#include <unistd.h>

#include <cerrno>

namespace muster {

void ByteFlow::turn(const pollfd& reads, const pollfd& writes) {
  if (reads.fd >= 0 && reads.revents != 0) read_some();
  if (writes.fd >= 0 && writes.revents != 0) write_some();
}

void ByteFlow::read_some() {
  const ssize_t length = read(from_, buffer_.data() + size_, buffer_.size() - size_);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) ended_ = true;
  if (length > 0) size_ += static_cast<size_t>(length);
}

void ByteFlow::write_some() {
  const ssize_t length = write(to_, buffer_.data() + begin_, size_ - begin_);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length < 0) {
    refused_ = true;
    begin_ = size_;
  } else {
    begin_ += static_cast<size_t>(length);
  }
  if (begin_ == size_) begin_ = size_ = 0;
}

}  // namespace muster
