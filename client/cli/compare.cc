// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/items/comparison_output.h"
#include "client/report/items/file_suffix.h"
#include "client/report/items/source_comparison.h"
#include "client/report/output_file.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"
#include "client/service/price_files.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kChangesNamed = 20;
constexpr std::int64_t kChangesOfPage = 500;

constexpr std::string_view kComparisonFormats[] = {"json", "html", "markdown"};

Result<std::string> format_of(const Arguments& arguments) {
  if (arguments.has("json")) return std::string("json");
  if (arguments.has("format")) return arguments.text("format");
  return format_of_suffix(arguments.text("out"), kComparisonFormats);
}

Result<ComparisonOptions> comparison_options(const Arguments& arguments,
                                             const std::string& format) {
  ComparisonOptions options;
  const std::int64_t fallback = format == "json"   ? 0
                                : format == "html" ? kChangesOfPage
                                                   : kChangesNamed;
  TRY_ASSIGN(const std::int64_t limit, arguments.integer("limit", fallback, 0, INT64_MAX));
  options.changes_max = limit == 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  if (!arguments.has("bootstrap-seed")) return options;
  TRY_ASSIGN(const std::int64_t seed, arguments.integer("bootstrap-seed", 0, 0, INT64_MAX));
  options.bootstrap.emplace();
  options.bootstrap->seed = static_cast<std::uint64_t>(seed);
  return options;
}

std::string rendered(const RunComparison& comparison, const ComparedNames& names,
                     const std::vector<std::string>& missed, const std::string& format) {
  if (format == "json") return dump_json(comparison_json(comparison, names)) + "\n";
  if (format == "html") return comparison_html(comparison, names, missed);
  if (format == "markdown") return comparison_markdown(comparison, names, missed);
  const std::size_t columns = output_is_terminal() ? terminal_columns(STDOUT_FILENO) : 160;
  return comparison_text(comparison, names, columns);
}

Result<void> put_out(const std::string& text, const Arguments& arguments) {
  const std::string path = arguments.text("out");
  if (path.empty()) {
    print(text);
    return {};
  }
  TRY_ASSIGN(OutputFile file, OutputFile::create(path));
  file.write(text);
  return file.finish();
}

/// Scores by two evaluations are compared when somebody names them. A saved report has what it has:
/// then it is said. Empty: nothing is to be said.
Result<std::string> look_at_evaluations(const Arguments& arguments, const ItemSource& a,
                                        const ItemSource& b) {
  if (a.evaluation().empty() || b.evaluation().empty() || a.evaluation() == b.evaluation()) {
    return std::string();
  }
  bool is_named = false;
  for (const std::string& word : arguments.words()) {
    TRY_ASSIGN(const RunName name, parse_run_name(word));
    is_named = is_named || !name.filter.evaluation.empty();
  }
  if (is_named) return std::string();
  const std::string what = fmt::format("A is graded by {} and B by {}",
                                       one_line(a.evaluation(), 60), one_line(b.evaluation(), 60));
  if (a.root().empty() || b.root().empty()) return what;
  return fail(ErrorCode::kInvalidArgument,
              what + "; name the evaluations that you mean, e.g. @run=previous,eval=NAME");
}

Result<int> compare(const Arguments& arguments) {
  if (arguments.has("json") && arguments.has("format")) {
    return fail(ErrorCode::kInvalidArgument, "--json is --format json: give one of them");
  }
  TRY_ASSIGN(const std::string format, format_of(arguments));
  TRY_ASSIGN(ComparisonOptions options, comparison_options(arguments, format));
  ComparisonThresholds thresholds;
  thresholds.allows_pending = arguments.has("allow-pending");
  thresholds.fail_on_regression = arguments.has("fail-on-regression");
  TRY_ASSIGN(thresholds.drop_max, arguments.share("max-drop"));
  // What judges said of pairs can be shown alone; a threshold asks about scores.
  options.needs_grades = thresholds.any();
  TRY_ASSIGN(LedgerOptions ledger, ledger_options(arguments));
  ledger.only_reads = true;
  const bool mixes = arguments.has("mix");
  TRY_ASSIGN(const TokenPrices prices,
             load_prices(arguments.text("prices"), arguments.text("worker-config")));
  TRY_ASSIGN(const auto source_a,
             open_item_source(arguments.words()[0], mixes, ledger, prices, GradeUse::kRead));
  TRY_ASSIGN(const auto source_b,
             open_item_source(arguments.words()[1], mixes, ledger, prices, GradeUse::kRead));
  TRY_ASSIGN(std::string evaluations, look_at_evaluations(arguments, *source_a, *source_b));
  auto compared = compare_sources(*source_a, *source_b, options);
  if (!compared && thresholds.any() && compared.error().code == ErrorCode::kFailedPrecondition) {
    (void)report_error(compared.error());
    return kExitThreshold;  // It asks about grades, and there are none.
  }
  TRY_ASSIGN(RunComparison comparison, std::move(compared));
  if (!evaluations.empty()) comparison.notes.push_back(std::move(evaluations));
  const std::string damage = source_a->damage();
  if (!damage.empty()) print_error(damage);
  if (const std::string other = source_b->damage(); !other.empty() && other != damage) {
    print_error(other);
  }
  const ComparedNames names{source_a->name(), source_b->name()};
  const auto missed = missed_thresholds(comparison, thresholds);
  TRY(put_out(rendered(comparison, names, missed, format), arguments));
  for (const std::string& sentence : missed) print_error(sentence);
  return missed.empty() ? kExitSuccess : kExitThreshold;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto code = compare(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
