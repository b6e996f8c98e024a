#include "core/wire/lean_pipe.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace muster {
namespace {

struct Way {
  std::string bytes;
  size_t read = 0;  // of them
  bool ended = false;

  size_t left() const { return bytes.size() - read; }

  size_t take(char* to, size_t most) {
    const size_t count = std::min(left(), most);
    bytes.copy(to, count, read);
    read += count;
    if (left() == 0) let_go();
    return count;
  }

  // To assign or clear a string would keep its memory.
  void let_go() {
    std::string().swap(bytes);
    read = 0;
  }

  size_t put(const char* from, size_t count) {
    count = std::min(count, kLeanPipeBytes - std::min(left(), kLeanPipeBytes));
    bytes.erase(0, std::exchange(read, 0));
    bytes.append(from, count);
    return count;
  }
};

struct End {
  std::shared_ptr<Way> in;
  std::shared_ptr<Way> out;
};

End& end_of(BIO* bio) { return *static_cast<End*>(BIO_get_data(bio)); }

int read_some(BIO* bio, char* to, int most) {
  BIO_clear_retry_flags(bio);
  Way& in = *end_of(bio).in;
  if (most <= 0 || (in.left() == 0 && in.ended)) return 0;
  if (in.left() > 0) return static_cast<int>(in.take(to, static_cast<size_t>(most)));
  BIO_set_retry_read(bio);
  return -1;
}

int write_some(BIO* bio, const char* from, int count) {
  BIO_clear_retry_flags(bio);
  if (count <= 0) return 0;
  Way& out = *end_of(bio).out;
  const size_t taken = out.ended ? 0 : out.put(from, static_cast<size_t>(count));
  if (taken > 0) return static_cast<int>(taken);
  if (!out.ended) BIO_set_retry_write(bio);
  return -1;
}

// What nobody here asks for is 0, as of any BIO that does not know it.
long control(BIO* bio, int what, long, void*) {
  switch (what) {
    case BIO_CTRL_PENDING: return static_cast<long>(end_of(bio).in->left());
    case BIO_CTRL_WPENDING: return static_cast<long>(end_of(bio).out->left());
    case BIO_CTRL_EOF: return end_of(bio).in->left() == 0 && end_of(bio).in->ended ? 1 : 0;
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
  }
}

int destroy(BIO* bio) {
  if (BIO_get_data(bio) == nullptr) return 1;
  const std::unique_ptr<End> end(&end_of(bio));
  end->in->ended = end->out->ended = true;
  BIO_set_data(bio, nullptr);
  return 1;
}

const BIO_METHOD* method() {
  static const BIO_METHOD* const made = [] {
    BIO_METHOD* const pipe = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lean pipe");
    if (pipe == nullptr) return pipe;
    BIO_meth_set_read(pipe, read_some);
    BIO_meth_set_write(pipe, write_some);
    BIO_meth_set_ctrl(pipe, control);
    BIO_meth_set_destroy(pipe, destroy);
    return pipe;
  }();
  return made;
}

BIO* new_end(std::shared_ptr<Way> in, std::shared_ptr<Way> out) {
  BIO* const bio = method() == nullptr ? nullptr : BIO_new(method());
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, new End{std::move(in), std::move(out)});
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace

bool new_lean_pipe(BIO** one, BIO** other) {
  const auto there = std::make_shared<Way>();
  const auto back = std::make_shared<Way>();
  *one = new_end(back, there);
  *other = new_end(there, back);
  if (*one != nullptr && *other != nullptr) return true;
  BIO_free(*one);
  BIO_free(*other);
  *one = *other = nullptr;
  return false;
}

}  // namespace muster
