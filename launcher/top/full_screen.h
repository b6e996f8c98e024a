// SPDX-License-Identifier: Apache-2.0
// FullScreen: draws frames on the alternate screen of the terminal, and restores the terminal at every end of the process
// (follow/keyboard.h). Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "core/client/screen.h"
#include "launcher/follow/keyboard.h"

namespace muster {

class FullScreen {
 public:
  explicit FullScreen(Screen& screen) : screen_(screen) {}

  // Returns false if descriptor 0 is not a terminal.
  bool enter();
  void leave();
  // Draws the lines from the top. Does nothing if the frame has not changed.
  void draw(const std::vector<std::string>& lines);
  // Draws the next frame even if it has not changed.
  void forget() { drawn_.clear(); }

 private:
  Screen& screen_;
  Keyboard keyboard_;
  std::string drawn_;
};

}  // namespace muster
