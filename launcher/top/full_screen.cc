// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/full_screen.h"

namespace muster {
namespace {

// Alternate screen without cursor: control sequences of xterm. Other terminals ignore the ones that they do not know.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
// Synchronised update: the terminal shows the frame as a whole, if it can.
constexpr char kBegin[] = "\x1b[?2026h\x1b[H";
constexpr char kEnd[] = "\x1b[J\x1b[?2026l";
constexpr char kRestOfLine[] = "\x1b[K";

}  // namespace

bool FullScreen::enter() {
  if (!keyboard_.grab(Keyboard::Mode::keys, kLeave)) return false;
  screen_.out(kEnter);
  forget();
  return true;
}

void FullScreen::leave() { keyboard_.release(); }

void FullScreen::draw(const std::vector<std::string>& lines) {
  std::string frame = kBegin;
  for (size_t i = 0; i < lines.size(); ++i) frame += (i > 0 ? "\r\n" : "") + lines[i] + kRestOfLine;
  frame += kEnd;
  if (frame == drawn_) return;
  screen_.out(frame);
  drawn_ = std::move(frame);
}

}  // namespace muster
