// FullScreen: the whole of a terminal, drawn in place: its alternate screen, put back however we end (follow/keyboard.h). Loop
// thread only.
#pragma once

#include <string>
#include <vector>

#include "core/client/screen.h"
#include "launcher/follow/keyboard.h"

namespace muster {

class FullScreen {
 public:
  explicit FullScreen(Screen& screen) : screen_(screen) {}

  // False: descriptor 0 is no terminal.
  bool enter();
  void leave();
  // From the top; the same frame is not drawn twice in a row.
  void draw(const std::vector<std::string>& lines);
  // The next frame is drawn, whatever was before.
  void forget() { drawn_.clear(); }

 private:
  Screen& screen_;
  Keyboard keyboard_;
  std::string drawn_;
};

}  // namespace muster
