// SPDX-License-Identifier: MIT
#include "client/report/text_summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kRed = "\x1b[31m";

std::string coloured(const std::string& text, const char* colour, bool is_on) {
  return is_on ? fmt::format("{}{}\x1b[0m", colour, text) : text;
}

std::string latency_row(const char* name, const LatencyHistogram& values) {
  return fmt::format("  {:<9} p50 {}   p90 {}   p99 {}   p99.9 {}   max {}\n", name,
                     human_ms(values.percentile(50)), human_ms(values.percentile(90)),
                     human_ms(values.percentile(99)), human_ms(values.percentile(99.9)),
                     human_ms(values.max()));
}

std::string attempts_row(const RunSummary& summary) {
  std::string row;
  for (std::size_t i = 0; i < summary.by_attempts().size(); ++i) {
    const std::int64_t count = summary.by_attempts()[i];
    if (count == 0) continue;
    const bool is_last = i + 1 == summary.by_attempts().size();
    row += fmt::format("{}{}{} for {}", row.empty() ? "" : ",  ", i + 1, is_last ? " or more" : "",
                       counted_noun(count, "request"));
  }
  return row.empty() ? "" : fmt::format("  {:<9} {}\n", "attempts", row);
}

std::string spend_rows(const Spend& spend) {
  if (spend.calls == 0) return {};
  std::string cost = spend.unpriced == spend.calls ? "unknown:" : human_cost(spend.cost) + " and";
  if (spend.unpriced == 0) {
    cost = human_cost(spend.cost);
  } else {
    cost +=
        fmt::format(" {} without a price; give --prices, or prices in the worker's configuration",
                    counted_noun(spend.unpriced, "call"));
  }
  return fmt::format("  {:<9} {} in,  {} out\n  {:<9} {}\n", "tokens",
                     human_count(spend.input_tokens), human_count(spend.output_tokens), "cost",
                     cost);
}

/// The model's turns count when their conversation is over.
std::string conversations_rows(const RunSummary& summary) {
  const RunSummary::Conversations& talks = summary.conversations;
  if (talks.total == 0) return {};
  const std::int64_t left = talks.total - talks.ended - talks.gave_up;
  std::string row = part_of(talks.ended, talks.total, "conversation") + " ended";
  if (talks.gave_up > 0) row += fmt::format(", {} given up", human_count(talks.gave_up));
  if (left > 0) row += fmt::format(", {} left", human_count(left));
  row += "; " + counted_noun(talks.turns, "turn");
  if (talks.tool_calls > 0) {
    row += fmt::format(", {} ({} answered with an error)",
                       counted_noun(talks.tool_calls, "tool call"), human_count(talks.tool_errors));
  }
  return fmt::format("  {:<9} {}\n", "turns", row);
}

std::string errors_row(const RunSummary& summary) {
  std::vector<std::pair<std::int64_t, std::size_t>> errors;
  for (std::size_t i = 0; i < summary.by_error().size(); ++i) {
    if (summary.by_error()[i] > 0) errors.push_back({-summary.by_error()[i], i});
  }
  std::sort(errors.begin(), errors.end());
  std::string row;
  for (const auto& [count, code] : errors) {
    row += fmt::format("{}{} {}", row.empty() ? "" : ",  ", to_string(static_cast<ErrorCode>(code)),
                       human_count(-count));
  }
  return row.empty() ? "" : fmt::format("  {:<9} {}\n", "errors", row);
}

std::string gave_up_rows(const RunSummary& summary, const TextSummaryOptions& options) {
  const std::size_t shown = std::min(options.gave_up_max, summary.gave_up_list().size());
  if (shown == 0) return {};
  std::string out = "\nGiven up:\n";
  std::size_t id_width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string id = one_line(summary.gave_up_list()[i].request_id, 60);
    id_width = std::max(id_width, character_count(id));
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const RequestOutcome& outcome = summary.gave_up_list()[i];
    const std::string id = one_line(outcome.request_id, 60);
    const std::string code(to_string(outcome.error_code.value_or(ErrorCode::kUnknown)));
    const std::string padding(id_width - character_count(id), ' ');
    const std::string head = fmt::format("  {}{}  {}: ", id, padding, code);
    const std::size_t used = character_count(head);
    const std::size_t left = options.columns > used + 20 ? options.columns - used : 20;
    out += head + one_line(outcome.error_message, left) + "\n";
  }
  const auto more = summary.gave_up() - static_cast<std::int64_t>(shown);
  if (more > 0) out += fmt::format("  ... and {} more\n", human_count(more));
  if (const std::int64_t retried = summary.retried_meanwhile; retried > 0) {
    out += fmt::format("  {} of them {} given new attempts meanwhile; run again\n",
                       summary.retried_text(), retried == 1 ? "was" : "were");
  }
  return out;
}

}  // namespace

std::string text_summary(const RunSummary& summary, const TextSummaryOptions& options) {
  std::string head = part_of(summary.ended(), std::max(summary.total, summary.ended()), "request");
  if (!summary.name.empty()) head = one_line(summary.name, 60) + ": " + head;
  head += fmt::format(" ended in {}", human_duration(summary.elapsed()));
  if (summary.rate() > 0) head += fmt::format(", {}", human_rate(summary.rate()));
  if (!summary.stopped_by.empty()) {
    head += " (stopped by a limit)";
  } else if (summary.was_interrupted()) {
    head += " (interrupted)";
  }
  std::string out = head + "\n";
  const auto count_row = [](const char* name, const std::string& count) {
    return fmt::format("  {:<9} {}\n", name, count);
  };
  if (!summary.run_id.empty()) out += count_row("run", summary.run_id);
  out += count_row("success", coloured(human_count(summary.success()), kGreen,
                                       options.colour && summary.success() > 0));
  out += count_row("gave up", coloured(human_count(summary.gave_up()), kRed,
                                       options.colour && summary.gave_up() > 0));
  out += conversations_rows(summary);
  if (summary.from_earlier_runs() > 0) {
    out += count_row("earlier",
                     human_count(summary.from_earlier_runs()) + " of them ended in an earlier run");
  }
  if (summary.followed() > 0) {
    out += count_row("shared",
                     human_count(summary.followed()) + " of them were asked by another filecall");
  }
  if (summary.responses_missing > 0) {
    out += count_row("missing",
                     counted_noun(summary.responses_missing, "response") + " of earlier runs");
  }
  if (summary.cached() > 0) {
    out += count_row("cached", human_count(summary.cached()) + " of them came from the cache");
  }
  if (summary.retries() > 0) out += count_row("retries", human_count(summary.retries()));
  out += attempts_row(summary);
  if (summary.latency_ms().count() > 0) {
    out += latency_row("latency", summary.latency_ms());
    out += latency_row("in worker", summary.run_ms());
  }
  return out + spend_rows(summary.spend) + errors_row(summary) + gave_up_rows(summary, options);
}

}  // namespace filecall::client
