// SPDX-License-Identifier: MIT
#include "client/report/progress_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

#include "client/report/progress_json.h"
#include "client/report/text_layout.h"
#include "os/io.h"

namespace filecall::client {
namespace {

constexpr Duration kRedraw = milliseconds(100);
constexpr Duration kLinePeriod = seconds(10);
constexpr Duration kRateWindow = seconds(10);
constexpr Duration kSamplePeriod = milliseconds(250);

}  // namespace

void ProgressDisplay::update(ProgressView view, MonotonicTime now) {
  if (style_ == ProgressStyle::kQuiet) return;
  add_rates(view, now);
  view.elapsed = now - started_at_;
  if (style_ == ProgressStyle::kBar) {
    draw_bar(view, now);
  } else {
    print_line(view, now);
  }
}

void ProgressDisplay::add_rates(ProgressView& view, MonotonicTime now) {
  const Sample current{now, view.ended() - view.earlier, view.tokens_now};
  if (samples_.empty() || now - samples_.back().when >= kSamplePeriod) samples_.push_back(current);
  while (samples_.size() > 2 && now - samples_[1].when >= kRateWindow) samples_.pop_front();
  const Sample& since = samples_.front();
  const double window_s = std::chrono::duration<double>(now - since.when).count();
  if (window_s < 0.2) return;
  view.rate = static_cast<double>(current.ended - since.ended) / window_s;
  view.tokens_rate = static_cast<double>(current.tokens - since.tokens) / window_s;
}

void ProgressDisplay::draw_bar(const ProgressView& view, MonotonicTime now) {
  if (is_drawn_ && now - shown_at_ < kRedraw) return;
  shown_at_ = now;
  // The last column stays free: some terminals wrap when it is written.
  last_bar_ = progress_bar(view, terminal_columns(fd_) - 1, colour_);
  write("\r\x1b[K" + last_bar_);
  is_drawn_ = true;
}

void ProgressDisplay::print_line(const ProgressView& view, MonotonicTime now) {
  const std::int64_t tenth = view.total > 0 ? view.ended() * 10 / view.total : 0;
  const Duration since = shown_at_ == MonotonicTime{} ? now - started_at_ : now - shown_at_;
  if (since < kLinePeriod && (tenth == shown_tenth_ || since < seconds(1))) return;
  shown_at_ = now;
  shown_tenth_ = tenth;
  write((style_ == ProgressStyle::kJson ? dump_json(progress_json(view)) : progress_text(view)) +
        "\n");
}

void ProgressDisplay::notice(const std::string& text) {
  if (style_ == ProgressStyle::kQuiet) return;
  const std::string line = one_line(text, 2000) + "\n";
  if (!is_drawn_) return write(line);
  write("\r\x1b[K" + line + last_bar_);
}

void ProgressDisplay::clear() {
  if (is_drawn_) write("\r\x1b[K");
  is_drawn_ = false;
}

void ProgressDisplay::write(const std::string& text) const {
  // A display that cannot be written is not worth a run: the failure is dropped on purpose.
  (void)write_all(fd_, text, "progress");
}

ProgressStyle progress_style(int fd, bool is_quiet, bool is_json) {
  if (is_quiet) return ProgressStyle::kQuiet;
  if (::isatty(fd) != 0) return ProgressStyle::kBar;
  return is_json ? ProgressStyle::kJson : ProgressStyle::kLines;
}

bool wants_colour(int fd, const char* no_color, const char* term) {
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(fd) != 0;
}

std::size_t terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 80;
  return size.ws_col;
}

}  // namespace filecall::client
