// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "base/time.h"
#include "client/report/progress_line.h"

namespace filecall::client {

enum class ProgressStyle : std::uint8_t {
  kBar,    ///< One line of a terminal, rewritten at most ten times a second.
  kLines,  ///< A line every ten seconds, and one when another tenth is done but not more than one
           ///< a second.
  kJson,   ///< The same times as kLines, each line a JSON object.
  kQuiet,  ///< Nothing; notices too are dropped.
};

/// Shows a run's progress on a descriptor (standard error). Never fails: who closes the terminal
/// loses the display, not the run. Not thread-safe.
class ProgressDisplay {
 public:
  ProgressDisplay(int fd, ProgressStyle style, bool colour, MonotonicTime started_at)
      : fd_(fd), style_(style), colour_(colour), started_at_(started_at) {}

  /// Rate and elapsed time are filled in here.
  void update(ProgressView view, MonotonicTime now);
  /// A message for people: on a line of its own, above the bar.
  void notice(const std::string& text);
  /// Removes the bar, so that other output can follow.
  void clear();

 private:
  struct Sample {
    MonotonicTime when{};
    std::int64_t ended = 0;
    std::int64_t tokens = 0;
  };
  void add_rates(ProgressView& view, MonotonicTime now);
  void draw_bar(const ProgressView& view, MonotonicTime now);
  void print_line(const ProgressView& view, MonotonicTime now);
  void write(const std::string& text) const;

  int fd_;
  ProgressStyle style_;
  bool colour_;
  MonotonicTime started_at_;
  MonotonicTime shown_at_{};
  std::int64_t shown_tenth_ = 0;
  bool is_drawn_ = false;
  std::string last_bar_;
  std::deque<Sample> samples_;  ///< Of the last ten seconds, a few a second.
};

/// What fits a descriptor: a bar on a terminal, lines elsewhere.
ProgressStyle progress_style(int fd, bool is_quiet, bool is_json);
/// Colour is for terminals, unless NO_COLOR is set (https://no-color.org) or TERM is "dumb".
/// The environment's values come in as arguments.
bool wants_colour(int fd, const char* no_color, const char* term);
/// Columns of the terminal behind `fd`; 80 when that is unknown.
std::size_t terminal_columns(int fd);

}  // namespace filecall::client
