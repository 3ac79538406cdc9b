// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "client/report/markdown_lines.h"
#include "client/service/event_tail.h"

namespace filecall::client {

/// Shows on a terminal what a model writes while it writes: a plan as it comes, a report as
/// Markdown. One request at a time; one thread. What cannot be read is not shown: the answer
/// counts.
class AnswerStream {
 public:
  /// From now on the events of this file are shown, and no others.
  void follow(const std::string& events_path, bool is_report);
  /// Prints what has come.
  void show();
  /// The answer is there: prints the rest, and ends the line. True: all of `text` was shown.
  bool finish(const std::string& text);

 private:
  void take(std::string_view line);
  std::string quoted(std::string_view text);

  std::optional<EventTail> tail_;
  bool is_report_ = false;
  std::string shown_;  ///< Of this execution.
  MarkdownLines markdown_;
  bool begins_line_ = true;  ///< What is printed next does.
};

}  // namespace filecall::client
