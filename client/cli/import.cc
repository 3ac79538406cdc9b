// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <filesystem>

#include "base/count_text.h"
#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/promptfoo/import.h"
#include "client/promptfoo/import_disk.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

void print_imported(const ImportedConfig& imported, const std::string& folder) {
  print(fmt::format("{}: {}, {}, {}, {}\n", one_line(folder, 120),
                    counted_noun(imported.prompts, "prompt"),
                    counted_noun(imported.models, "model"), counted_noun(imported.rows, "row"),
                    counted_noun(imported.graders, "grader")));
  if (const auto& notes = imported.notes.differing(); !notes.empty()) {
    print("\nTaken, and not quite the same:\n");
    for (const ImportNote& note : notes) print("  " + one_line(note_text(note), 400) + "\n");
  }
  if (const auto& notes = imported.notes.not_taken(); !notes.empty()) {
    print(fmt::format("\nNot taken ({}):\n", notes.size()));
    for (const ImportNote& note : notes) print("  " + one_line(note_text(note), 400) + "\n");
  }
  print(fmt::format("\nRun it: {}/run.sh\n", one_line(folder, 120)));
}

Result<int> import_config(const Arguments& arguments) {
  const std::string& format = arguments.words()[0];
  if (format != "promptfoo") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("import: '{}' is no format; there is: promptfoo", format));
  }
  const std::string folder = arguments.text("out");
  if (folder.empty()) {
    return fail(ErrorCode::kInvalidArgument, "import: needs --out DIR, a new directory");
  }
  const std::string& path = arguments.words()[1];
  const std::string judge = arguments.text("judge");
  if (!judge.empty() && judge.find('/') == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--judge: '{}' is no model; write PROVIDER/MODEL", judge));
  }
  const std::filesystem::path place(path);
  DiskImportFiles files(place.parent_path().string());
  TRY_ASSIGN(const std::string text, files.read(place.filename().string()));
  TRY_ASSIGN(ImportedConfig imported,
             import_promptfoo(text, place.filename().string(), {.judge = judge}, files));
  const Json summary = import_json(imported);
  const bool is_whole = imported.prompts > 0 && imported.models > 0 && imported.rows > 0;
  if (is_whole) {
    imported.files["import.json"] = summary.dump(2) + "\n";
    TRY(write_imported(folder, imported.files));
  }
  if (arguments.has("json")) {
    print_json(summary);
  } else if (is_whole) {
    print_imported(imported, folder);
  } else {
    for (const ImportNote& note : imported.notes.not_taken()) {
      print_note("  " + one_line(note_text(note), 400) + "\n");
    }
  }
  if (!is_whole) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: there is nothing to run: {}, {} and {} were taken; nothing was written",
                    path, counted_noun(imported.prompts, "prompt"),
                    counted_noun(imported.models, "model"), counted_noun(imported.rows, "row")));
  }
  return imported.notes.not_taken().empty() ? kExitSuccess : kExitGaveUp;
}

}  // namespace

int import_command(const Arguments& arguments) {
  const auto code = import_config(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
