// SPDX-License-Identifier: MIT
#include "client/cli/eval_label.h"

#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/count_text.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/row_options.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/spec_file.h"
#include "client/grades/grade_log.h"
#include "client/grades/label_log.h"
#include "client/grades/line_file.h"
#include "client/report/output_file.h"
#include "client/report/text_layout.h"
#include "ipc/json_text.h"
#include "os/io.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kImportBytesMax = 256 * 1024 * 1024;
constexpr const char* kDefaultPage = "label.html";

/// Labels of a file, with what stands in the root already.
struct Import {
  std::string lines;  ///< New ones, as they are appended.
  std::int64_t fresh = 0;
  std::int64_t known = 0;  ///< They stand there already, word for word.
  std::int64_t old = 0;    ///< Of the new ones: of a response that is another one now.
};

/// `wanted`: the grader of all labels; empty: any of the specification.
Result<HumanLabel> checked_label(std::string_view text, const EvalSpec& spec,
                                 const std::string& wanted, const std::string& where) {
  auto label = parse_human_label(text);
  if (!label) {
    return fail(ErrorCode::kInvalidArgument, where + ": " + label.error().message);
  }
  if (label->evaluation != spec.name) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: is of the evaluation '{}', the specification is '{}'", where,
                            excerpt(label->evaluation, 60), excerpt(spec.name, 60)));
  }
  const auto grader = choose_grader(spec, label->grader);
  if (!grader) return fail(ErrorCode::kInvalidArgument, where + ": " + grader.error().message);
  if (!wanted.empty() && label->grader != wanted) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: is of the grader '{}', --grader is '{}'", where,
                            excerpt(label->grader, 60), excerpt(wanted, 60)));
  }
  return label;
}

Result<bool> is_of_now(const GradeLog& grades, const HumanLabel& label) {
  TRY_ASSIGN(const auto evaluation, grades.find(label.request_id, label.evaluation));
  return evaluation && evaluation->response_digest == label.response_digest;
}

/// All of the file, or the first line that is wrong.
Result<Import> read_import(const std::string& path, const EvalSpec& spec, const std::string& grader,
                           const spool::Layout& layout) {
  std::set<std::string> there;
  TRY(each_line_of(layout.labels(), [&](std::string_view text, std::int64_t) -> Result<void> {
    if (const auto label = parse_human_label(text)) there.insert(render_human_label(*label));
    return {};
  }));
  TRY_ASSIGN(const GradeLog grades, GradeLog::open(layout));
  TRY_ASSIGN(const std::string bytes, read_file(path, kImportBytesMax));
  Import import;
  std::string_view rest = bytes;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    TRY_ASSIGN(const HumanLabel label,
               checked_label(text, spec, grader, fmt::format("{}:{}", path, number)));
    std::string line = render_human_label(label);
    if (!there.insert(line).second) {
      ++import.known;
      continue;
    }
    TRY_ASSIGN(const bool counts, is_of_now(grades, label));
    if (!counts) ++import.old;
    ++import.fresh;
    import.lines += line;
  }
  return import;
}

Result<int> import_labels(const Arguments& arguments, const EvalSpec& spec,
                          const spool::Layout& layout) {
  const std::string grader = arguments.text("grader");
  if (!grader.empty()) TRY(choose_grader(spec, grader));
  TRY_ASSIGN(const Import import, read_import(arguments.text("import"), spec, grader, layout));
  TRY(append_lines(layout, layout.labels(), import.lines,
                   [](const std::string& text) { print_error(text); }));
  if (arguments.has("json")) {
    print_json({{"labels", import.fresh}, {"known", import.known}, {"old", import.old}});
    return kExitSuccess;
  }
  print(fmt::format("{} added to {}; {} stood there already\n",
                    counted_noun(import.fresh, "label was", "labels were"), layout.labels(),
                    human_count(import.known)));
  if (import.old > 0) {
    print_error(fmt::format(
        "{} of them {}", human_count(import.old),
        one_or_many(import.old,
                    "does not count: its response was not evaluated, or is another one now",
                    "do not count: their responses were not evaluated, or are other ones now")));
  }
  print_note("Agreement: run 'filecall eval' with the specification, or 'filecall report'.\n",
             arguments.has("quiet"));
  return kExitSuccess;
}

std::string labeller(const Arguments& arguments) {
  if (arguments.has("by")) return arguments.text("by");
  const char* user = std::getenv("USER");
  return user == nullptr ? std::string() : std::string(user);
}

Result<LabelTask> read_task(const Arguments& arguments, const EvalSpec& spec,
                            const spool::Layout& layout) {
  TRY_ASSIGN(const Grader* grader, choose_grader(spec, arguments.text("grader")));
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  TRY_ASSIGN(const RunScope scope, RunScope::choose(layout, {.run = arguments.text("run"),
                                                             .batch = spec.selection.batch,
                                                             .mixes = arguments.has("mix")}));
  TRY_ASSIGN(const Candidates found,
             list_candidates(
                 *ledger, scope, spec.selection, [](const RequestEntry&) { return false; },
                 [](std::string_view) { return false; }));
  spool::NameHashSet ids;
  for (std::size_t i = 0; i < found.succeeded.size(); ++i) ids.insert(found.succeeded[i]);
  return make_label_task(*ledger, layout, scope, spec, *grader, labeller(arguments),
                         [&](const std::string& id) { return ids.contains(id); });
}

Result<int> write_page(const Arguments& arguments, const LabelTask& task) {
  const std::string path = arguments.has("out") ? arguments.text("out") : kDefaultPage;
  TRY_ASSIGN(OutputFile file, OutputFile::create(path));
  file.write(label_page(task));
  TRY(file.finish());
  if (arguments.has("json")) {
    print_json({{"page", path},
                {"responses", task.subjects.size()},
                {"not_graded", task.not_graded},
                {"grader", task.grader},
                {"scale", task.scale}});
    return kExitSuccess;
  }
  print(fmt::format("Wrote {}: {} for {} ({})\n", one_line(path, 2000),
                    counted_noun(static_cast<std::int64_t>(task.subjects.size()), "response"),
                    one_line(task.grader, 60), one_line(task.scale, 200)));
  print_note(
      "Open it in a browser, label, download, then: filecall eval label SPEC --import FILE\n",
      arguments.has("quiet"));
  return kExitSuccess;
}

}  // namespace

Result<int> label_by_hand(const Arguments& arguments) {
  if (arguments.words().size() != 2) {
    return fail(ErrorCode::kInvalidArgument,
                "eval label: give a specification: filecall eval label SPEC");
  }
  const int ways = (arguments.has("out") ? 1 : 0) + (arguments.has("terminal") ? 1 : 0) +
                   (arguments.has("import") ? 1 : 0);
  if (ways > 1) {
    return fail(ErrorCode::kInvalidArgument, "eval label: give one of --out, --terminal, --import");
  }
  TRY_ASSIGN(EvalSpec spec, load_eval_spec(arguments.words()[1]));
  if (arguments.has("batch")) spec.selection.batch = arguments.text("batch");
  TRY_ASSIGN(spec.selection.rows, row_selection(arguments));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  if (arguments.has("import")) return import_labels(arguments, spec, layout);
  TRY_ASSIGN(const LabelTask task, read_task(arguments, spec, layout));
  if (task.not_graded > 0) {
    print_note(fmt::format("filecall: {} left out: 'filecall eval' has not graded {} by '{}'\n",
                           counted_noun(task.not_graded, "response is", "responses are"),
                           one_or_many(task.not_graded, "it", "them"), one_line(task.grader, 60)),
               arguments.has("quiet"));
  }
  if (!arguments.has("terminal")) return write_page(arguments, task);
  if (task.by.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--by NAME: who labels? $USER is not set");
  }
  TRY_ASSIGN(const std::int64_t labelled, label_on_terminal(task, layout));
  print(fmt::format("{} labelled; stored in {}\n", human_count(labelled), layout.labels()));
  return kExitSuccess;
}

}  // namespace filecall::client
