// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "client/eval/subject.h"
#include "client/report/html_escape.h"
#include "client/report/items/html_page.h"
#include "client/report/items/html_sections.h"
#include "client/report/items/report_format.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

// What a browser still opens at once: the texts of all items together, each item's own at most, and
// the number of items. Beyond that the page says that results.csv has the rest.
constexpr std::int64_t kTextBytesOfPage = 48 << 20;
constexpr std::int64_t kTextBytesMin = 64;
constexpr std::int64_t kTextBytesMax = 16 << 10;
constexpr std::int64_t kItemsMax = 200'000;
constexpr std::int64_t kItemsOfBlock = 500;

std::string cut(const std::string& text, std::int64_t bytes_max) {
  const std::string clean = sanitize_utf8(text);
  if (std::ssize(clean) <= bytes_max) return clean;
  auto end = static_cast<std::size_t>(bytes_max);
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xc0) == 0x80) --end;
  return clean.substr(0, end) + "... (cut here)";
}

template <typename Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Below the root, as parts of an address.
Json links_of(const ReportItem& item) {
  Json links = Json::array();
  for (const std::string& name : item.files) links.push_back({name, url_path(name)});
  return links;
}

std::string page_script() {
  return script_of({"base.js", "charts.js", "diff.js", "items.js", "matrix.js", "start.js"});
}

class HtmlFormat final : public ReportFormat {
 public:
  HtmlFormat(std::int64_t items, std::string root_link)
      : text_bytes_(std::clamp(kTextBytesOfPage / std::max<std::int64_t>(items, 1), kTextBytesMin,
                               kTextBytesMax)),
        root_link_(std::move(root_link)) {}

  std::string item(const ReportItem& item) override {
    if (++seen_ > kItemsMax) return {};
    const bool is_first = (seen_ - 1) % kItemsOfBlock == 0;
    std::string out =
        is_first ? (seen_ > 1 ? "\n]</script>\n" : "") + std::string(
                                                             "<script type=\"application/json\" "
                                                             "class=\"items\">[\n")
                 : ",\n";
    return out + script_json(row_json(item));
  }

  std::string head(const ReportTally& tally) override {
    const RunSummary& run = tally.run();
    const std::string name = run.name.empty() ? "filecall" : run.name;
    const bool has_scores = tally.all().evaluated() > 0;
    Json data = chart_data(tally);
    data["root"] = url_path(root_link_);
    return fill_page(
        page_asset("page.html"),
        {{"SCRIPT_HASHES", policy_hash(page_asset("chart")) + " " + policy_hash(page_script())},
         {"STYLE_HASH", policy_hash(page_asset("page.css"))},
         {"TITLE", html_escape(name)},
         {"SUBTITLE", subtitle(tally)},
         {"CSS", std::string(page_asset("page.css"))},
         {"TILES", tiles_html(tally)},
         {"SCORES", scores_html(tally) + pair_sections_html(tally.pairs)},
         {"SCORE_CHART", has_scores ? std::string(kScoreChart) : std::string()},
         {"TIMES", times_html(tally)},
         {"COMMANDS", commands_html(run)},
         {"ATTEMPTS", attempts_html(run)},
         {"ERRORS", errors_html(tally.all())},
         {"ITEMS_NOTE", items_note()},
         {"DATA", script_json(data)}});
  }

  std::string tail(const ReportTally&) override {
    std::string out = seen_ > 0 ? "\n]</script>\n" : "\n";
    out.append("<script>").append(page_asset("chart")).append("</script>\n");
    out.append("<script>").append(page_script()).append("</script>\n");
    return out + "</body>\n</html>\n";
  }

 private:
  static constexpr std::string_view kScoreChart =
      "<figure>\n<figcaption>Scores <small>mean and 95 % interval</small></figcaption>\n"
      "<div class=\"canvas\"><canvas id=\"scores\" role=\"img\" aria-label=\"Scores\"></canvas>"
      "</div>\n</figure>\n";

  /// The columns that page.base.js names.
  Json row_json(const ReportItem& item) const {
    Json grades = Json::array();
    Json score;
    if (item.evaluation) {
      if (item.outcome == ItemOutcome::kGraded) score = optional_json(item.evaluation->score);
      for (const Grade& grade : item.evaluation->grades) {
        grades.push_back({cut(grade.name, 200), optional_json(grade.score),
                          optional_json(grade.passed), cut(grade.reason, text_bytes_),
                          cut(grade.expected, text_bytes_)});
      }
    }
    const bool is_ended = is_final(item.state);
    return {item.request_id,
            item.subject(),
            item.prompt_name,
            item.item,
            item.repeat,
            to_string(item.outcome),
            std::move(score),
            item.attempts,
            is_ended ? Json(item.latency_ms) : Json(),
            is_ended && !item.is_cached ? Json(item.run_ms) : Json(),
            optional_json(item.first_token_ms),
            optional_json(item.usage.input_tokens),
            optional_json(item.usage.output_tokens),
            optional_json(item.usage.cost),
            item.error_class,
            cut(note_of(item), text_bytes_),
            cut(item.prompt, text_bytes_),
            cut(item.answer, text_bytes_),
            std::move(grades),
            links_of(item),
            is_ended ? Json(item.queued_ms) : Json(),
            vars_json(item),
            item.error_code ? Json(to_string(*item.error_code)) : Json(),
            item.evaluation && item.outcome == ItemOutcome::kGraded
                ? optional_json(item.evaluation->passed)
                : Json(),
            turns_json(item)};
  }

  /// [user, answer, error, [[tool, arguments, result, whether it is an error]]] a turn.
  Json turns_json(const ReportItem& item) const {
    Json turns = Json::array();
    if (!item.turns.is_array()) return turns;
    const auto text = [this](const Json& json, const char* name) {
      const Json value = json.value(name, Json());
      return value.is_null() ? std::string() : cut(plain_text(value), text_bytes_);
    };
    for (const Json& turn : item.turns) {
      Json calls = Json::array();
      for (const Json& call : turn.value("tool_calls", Json::array())) {
        calls.push_back({text(call, "name"), text(call, "arguments"), text(call, "result"),
                         call.value("is_error", Json()) == true});
      }
      turns.push_back({text(turn, "user"), text(turn, "answer"), text(turn, "error"), calls});
    }
    return turns;
  }

  /// What went wrong with it, or why no grader was for it.
  static const std::string& note_of(const ReportItem& item) {
    const bool is_unfit = item.outcome == ItemOutcome::kUngraded && item.evaluation;
    return is_unfit && item.error_message.empty() ? item.evaluation->reason : item.error_message;
  }

  Json vars_json(const ReportItem& item) const {
    Json vars = Json::array();
    if (!item.vars.is_object()) return vars;
    for (const auto& [name, value] : item.vars.items()) {
      vars.push_back({cut(name, 200), cut(plain_text(value), text_bytes_)});
    }
    return vars;
  }

  static std::string subtitle(const ReportTally& tally) {
    const RunSummary& run = tally.run();
    std::string out = run.started_at() == WallTime{}
                          ? std::string()
                          : html_escape(format_rfc3339(run.started_at())) + " &middot; ";
    out += fmt::format("root <code>{}</code>", html_escape(run.root));
    if (!run.run_id.empty()) {
      out += fmt::format(" &middot; run <code>{}</code>", html_escape(run.run_id));
    } else if (tally.runs.size() > 1) {
      out += fmt::format(" &middot; {} runs together", tally.runs.size());
    }
    if (!tally.evaluation.empty()) {
      out += fmt::format(" &middot; evaluation <code>{}</code>", html_escape(tally.evaluation));
    }
    return out + (run.was_interrupted() ? " &middot; <b>interrupted</b>" : "");
  }

  std::string items_note() const {
    std::string out = "A row opens for all of it.";
    if (seen_ > kItemsMax) {
      out += fmt::format(" The first {} of {}; the CSV and JSON reports have all.",
                         human_count(kItemsMax), human_count(seen_));
    }
    if (text_bytes_ < kTextBytesMax) {
      out += fmt::format(" Texts are cut at {} bytes.", human_count(text_bytes_));
    }
    return out;
  }

  std::int64_t text_bytes_;
  std::string root_link_;
  std::int64_t seen_ = 0;
};

}  // namespace

std::unique_ptr<ReportFormat> html_format(std::int64_t items, std::string root_link) {
  return std::make_unique<HtmlFormat>(items, std::move(root_link));
}

}  // namespace filecall::client
