// SPDX-License-Identifier: MIT
#include "client/report/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/count_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kBarMin = 10;
constexpr std::size_t kBarMax = 30;

/// A piece of the line; pieces of the highest rank go first when there is no room.
struct Piece {
  std::string text;
  int rank = 0;
  const char* colour = "";
};

std::string percent_text(const ProgressView& view) {
  // Rounded down: 100 % means all.
  const std::int64_t percent = view.total > 0 ? view.ended() * 100 / view.total : 100;
  return fmt::format("{:>3}%", percent);
}

std::string count_text(const ProgressView& view) {
  return view.total < 0 ? human_count(view.ended()) + " ended"
                        : human_count(view.ended()) + "/" + human_count(view.total);
}

Piece lane_piece(const ProgressLane& lane) {
  const std::string name = one_line(lane.name, 40);
  if (!lane.problem.empty()) {
    return {fmt::format("{}: {}", name, one_line(lane.problem, 80)), 2, "\x1b[31m"};
  }
  if (lane.pause_ms > 0) {
    return {fmt::format("{} paused {}", name, human_duration(milliseconds(lane.pause_ms))), 2,
            "\x1b[33m"};
  }
  return {fmt::format("{} {}/{}", name, human_count(lane.in_flight), human_count(lane.window)), 7};
}

std::vector<Piece> pieces(const ProgressView& view) {
  std::vector<Piece> out;
  if (view.total >= 0) out.push_back({percent_text(view), 0});
  out.push_back({count_text(view), 1});
  if (view.conversations > 0) {
    out.push_back({fmt::format("{}/{}", human_count(view.conversations_ended),
                               counted_noun(view.conversations, "conversation")),
                   2});
  }
  if (view.rate > 0) out.push_back({human_rate(view.rate), 4});
  if (const auto left = time_left(view)) out.push_back({"ETA " + human_duration(*left), 3});
  const auto add = [&](const char* name, std::int64_t count, int rank, const char* colour = "") {
    if (count > 0) out.push_back({fmt::format("{} {}", name, human_count(count)), rank, colour});
  };
  if (view.spend.calls > view.spend.unpriced) {
    const auto projected = projected_cost(view);
    out.push_back({human_cost(view.spend.cost) +
                       (projected ? " of ~" + human_cost(*projected) : std::string()),
                   4});
  }
  if (view.tokens_rate >= 1) {
    out.push_back({human_count(static_cast<std::int64_t>(view.tokens_rate)) + " tokens/s", 6});
  }
  add("gave up", view.count(RequestState::kGaveUp), 5, "\x1b[31m");
  add("waiting", view.count(RequestState::kWaiting), 6, "\x1b[33m");
  add("polling", view.count(RequestState::kPolling), 7);
  add("retries", view.retries, 8);
  for (const ProgressLane& lane : view.lanes) out.push_back(lane_piece(lane));
  if (!view.worker.empty()) {
    out.push_back({"worker " + view.worker, view.worker == "ready" ? 9 : 2});
  }
  return out;
}

std::size_t width_of(const std::vector<Piece>& line) {
  std::size_t width = line.empty() ? 0 : 2 * (line.size() - 1);
  for (const Piece& piece : line) width += character_count(piece.text);
  return width;
}

std::string bar_text(const ProgressView& view, std::size_t width) {
  const auto inner = static_cast<std::int64_t>(width - 2);
  const std::int64_t ended = std::min(view.ended(), view.total);
  const std::int64_t filled = view.total == 0 ? inner : inner * ended / view.total;
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(inner - filled), '.') + "]";
}

}  // namespace

std::optional<Duration> time_left(const ProgressView& view) {
  if (view.total < 0 || view.rate <= 0 || view.ended() >= view.total) return std::nullopt;
  const double left_s = static_cast<double>(view.total - view.ended()) / view.rate;
  if (left_s > 99 * 86'400.0) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(left_s));
}

std::optional<double> projected_cost(const ProgressView& view) {
  const Spend& spend = view.spend;
  if (view.total < 0 || spend.calls == 0 || spend.unpriced > 0) return std::nullopt;
  const auto left = static_cast<double>(std::max<std::int64_t>(view.total - view.ended(), 0));
  return spend.cost * (1 + left / static_cast<double>(spend.calls));
}

std::string progress_bar(const ProgressView& view, std::size_t columns, bool colour) {
  std::vector<Piece> line = pieces(view);
  const bool has_bar = view.total >= 0;
  while (line.size() > 1 && width_of(line) > columns) {
    line.erase(std::max_element(line.begin(), line.end(),
                                [](const Piece& a, const Piece& b) { return a.rank < b.rank; }));
  }
  std::string out;
  const std::size_t used = width_of(line);
  if (has_bar && columns >= used + 1 + kBarMin) {
    out = bar_text(view, std::min(columns - used - 1, kBarMax)) + " ";
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_coloured = colour && line[i].colour[0] != '\0';
    out += fmt::format("{}{}{}{}", i == 0 ? "" : "  ", is_coloured ? line[i].colour : "",
                       line[i].text, is_coloured ? "\x1b[0m" : "");
  }
  return used > columns ? one_line(out, columns) : out;
}

std::string progress_text(const ProgressView& view) {
  std::string out;
  for (const Piece& piece : pieces(view)) {
    const std::size_t first = piece.text.find_first_not_of(' ');
    out += (out.empty() ? "" : "  ") + piece.text.substr(first);
  }
  return out;
}

}  // namespace filecall::client
