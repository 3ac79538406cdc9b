// SPDX-License-Identifier: MIT
#include "client/report/html_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "client/report/html_escape.h"
#include "client/report/text_layout.h"
#include "embedded/report_assets.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {
namespace {

std::string_view asset(std::string_view suffix) {
  for (const EmbeddedFile& file : report_assets()) {
    if (file.name == suffix) return file.bytes;
  }
  // The charting library: the build decides its file name.
  for (const EmbeddedFile& file : report_assets()) {
    if (suffix == "chart" && !file.name.starts_with("page.")) return file.bytes;
  }
  CHECK(false, "every asset of the page is embedded");
}

std::string tile(const char* css, const std::string& value, const char* label) {
  return fmt::format("<div class=\"tile {}\"><b>{}</b><span>{}</span></div>\n", css, value, label);
}

std::string tiles(const RunSummary& summary) {
  std::string out = tile("", human_count(std::max(summary.total, summary.ended())), "requests");
  out += tile("good", human_count(summary.success()), "success");
  out += tile(summary.gave_up() > 0 ? "bad" : "", human_count(summary.gave_up()), "gave up");
  out += tile("", human_count(summary.retries()), "retries");
  out += tile("", human_duration(summary.elapsed()), "elapsed");
  out += tile("", human_rate(summary.rate()), "ended");
  if (summary.from_earlier_runs() > 0) {
    out += tile("", human_count(summary.from_earlier_runs()), "ended in earlier runs");
  }
  return out;
}

std::string percentile_row(const char* name, const LatencyHistogram& values) {
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th>", name);
  for (const double percent : {50.0, 90.0, 99.0, 99.9, 100.0}) {
    row += fmt::format("<td>{}</td>", human_ms(values.percentile(percent)));
  }
  return row + "</tr>\n";
}

std::string percentiles(const RunSummary& summary) {
  return "<table class=\"numbers\"><thead><tr><th></th><th>p50</th><th>p90</th><th>p99</th>"
         "<th>p99.9</th><th>max</th></tr></thead><tbody>\n" +
         percentile_row("latency (submitted to ended)", summary.latency_ms()) +
         percentile_row("queued in the worker", summary.queued_ms()) +
         percentile_row("running", summary.run_ms()) + "</tbody></table>\n";
}

std::string count_table(const char* head,
                        const std::vector<std::pair<std::string, std::int64_t>>& rows) {
  if (rows.empty()) return "<p class=\"none\">None.</p>\n";
  std::string out = fmt::format(
      "<table class=\"numbers\"><thead><tr><th>{}</th><th>requests</th></tr></thead><tbody>\n",
      head);
  for (const auto& [name, count] : rows) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_escape(name),
                       human_count(count));
  }
  return out + "</tbody></table>\n";
}

std::string attempts_table(const RunSummary& summary) {
  std::vector<std::pair<std::string, std::int64_t>> rows;
  for (std::size_t i = 0; i < summary.by_attempts().size(); ++i) {
    const std::int64_t count = summary.by_attempts()[i];
    const bool is_last = i + 1 == summary.by_attempts().size();
    if (count > 0) rows.push_back({std::to_string(i + 1) + (is_last ? " or more" : ""), count});
  }
  return count_table("attempts", rows);
}

std::string errors_table(const RunSummary& summary) {
  std::vector<std::pair<std::string, std::int64_t>> rows;
  for (std::size_t i = 0; i < summary.by_error().size(); ++i) {
    const std::int64_t count = summary.by_error()[i];
    if (count > 0) rows.push_back({std::string(to_string(static_cast<ErrorCode>(i))), count});
  }
  std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.second > b.second; });
  return count_table("last error", rows);
}

std::string commands_table(const RunSummary& summary) {
  std::string out =
      "<table class=\"numbers\"><thead><tr><th>command</th><th>success</th><th>gave up</th></tr>"
      "</thead><tbody>\n";
  for (const auto& [command, row] : summary.by_command()) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                       html_escape(command), human_count(row.success), human_count(row.gave_up));
  }
  return out + "</tbody></table>\n";
}

std::string file_links(const std::string& root_link, const RequestOutcome& outcome) {
  const spool::Layout layout(root_link);
  const auto link = [](const std::string& path, const char* name) {
    return fmt::format("<a href=\"{}\">{}</a>", html_escape(url_path(path)), name);
  };
  std::string out = link(layout.request(outcome.request_id), "request") + " ";
  return out + (outcome.state == RequestState::kGaveUp
                    ? link(layout.failed(outcome.request_id), "failed")
                    : link(layout.response(outcome.request_id), "response"));
}

std::string outcome_table(const std::vector<RequestOutcome>& list, const std::string& root_link) {
  if (list.empty()) return "<p class=\"none\">None.</p>\n";
  std::string out =
      "<table class=\"list\"><thead><tr><th>request</th><th>command</th><th>state</th>"
      "<th class=\"n\">attempts</th><th class=\"n\">latency</th><th>error</th><th>files</th></tr>"
      "</thead><tbody>\n";
  for (const RequestOutcome& outcome : list) {
    std::string error;
    if (outcome.error_code) {
      error = fmt::format("<b>{}</b> {}", to_string(*outcome.error_code),
                          html_escape(outcome.error_message));
    }
    const char* css = outcome.state == RequestState::kSuccess ? "good" : "bad";
    out += fmt::format(
        "<tr><td class=\"id\">{}</td><td>{}</td><td class=\"{}\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"error\">{}</td><td class=\"files\">{}</td></tr>\n",
        html_escape(outcome.request_id), html_escape(outcome.command), css,
        to_string(outcome.state), outcome.attempts, human_ms(outcome.latency_ms), error,
        file_links(root_link, outcome));
  }
  return out + "</tbody></table>\n";
}

std::string gave_up_section(const RunSummary& summary, const std::string& root_link) {
  std::string out = outcome_table(summary.gave_up_list(), root_link);
  const auto listed = static_cast<std::int64_t>(summary.gave_up_list().size());
  if (summary.gave_up() > listed) {
    out += fmt::format(
        "<p>The first {} of {}. All are in <a href=\"results.csv\">results.csv</a>."
        "</p>\n",
        human_count(listed), human_count(summary.gave_up()));
  }
  return out;
}

Json chart_data(const RunSummary& summary) {
  Json latency = Json::array();
  for (const LatencyHistogram::Bucket& bucket : summary.latency_ms().chart(40)) {
    latency.push_back({bucket.low, bucket.high, bucket.count});
  }
  Json time_line = Json::array();
  for (const TimeLine::Bucket& bucket : summary.time_line().buckets()) {
    time_line.push_back({bucket.success, bucket.gave_up, bucket.retries});
  }
  return {{"latency", latency},
          {"time_line", time_line},
          {"bucket_ms", to_ms(summary.time_line().width())}};
}

std::string subtitle(const RunSummary& summary) {
  return fmt::format("{} &middot; root <code>{}</code>{}",
                     html_escape(format_rfc3339(summary.started_at())), html_escape(summary.root),
                     summary.was_interrupted() ? " &middot; <b>interrupted</b>" : "");
}

/// Replaces every "{{NAME}}" of the template once, from left to right: what is put in is never
/// looked at again, so a text that contains a placeholder stays a text.
std::string fill(std::string_view page,
                 const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  for (;;) {
    const std::size_t open = page.find("{{");
    const std::size_t close = page.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return out.append(page);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    CHECK(value != values.end(), "every placeholder of the page has a value");
    out.append(page.substr(0, open)).append(value->second);
    page.remove_prefix(close + 2);
  }
}

}  // namespace

std::string html_page(const RunSummary& summary, const std::string& root_link) {
  const std::string name = summary.name.empty() ? "filecall run" : summary.name;
  return fill(asset("page.html"), {{"TITLE", html_escape(name)},
                                   {"SUBTITLE", subtitle(summary)},
                                   {"CSS", std::string(asset("page.css"))},
                                   {"TILES", tiles(summary)},
                                   {"PERCENTILES", percentiles(summary)},
                                   {"ATTEMPTS", attempts_table(summary)},
                                   {"ERRORS", errors_table(summary)},
                                   {"COMMANDS", commands_table(summary)},
                                   {"GAVE_UP", gave_up_section(summary, root_link)},
                                   {"SLOWEST", outcome_table(summary.slowest(), root_link)},
                                   {"DATA", script_json(chart_data(summary))},
                                   {"CHART_JS", std::string(asset("chart"))},
                                   {"PAGE_JS", std::string(asset("page.js"))}});
}

}  // namespace filecall::client
