// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// Markdown on a terminal, line by line as it comes: headings, bold, code and lists. All else
/// stays as it was written, and so does what is not closed in its line. Control sequences of the
/// text are taken out. Pure; not for several threads.
class MarkdownLines {
 public:
  /// The lines that are complete now, as a terminal takes them.
  std::string add(std::string_view text);
  /// The last one, which has no end.
  std::string end();

 private:
  std::string line(std::string_view text);

  std::string open_;     ///< Of a line whose end is not there yet.
  std::string fence_{};  ///< What ends the code; empty: there is none.
};

/// A whole text.
std::string markdown_text(std::string_view text);

}  // namespace filecall::client
