// SPDX-License-Identifier: MIT
#include "client/cli/run_inputs.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "client/batch/batch.h"
#include "client/batch/image_file.h"
#include "client/batch/model_file.h"
#include "client/cli/params_option.h"
#include "client/cli/row_options.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kRepeatMax = 10'000;
constexpr std::int64_t kMaxTurnsMax = 10'000;

Result<Json> read_variables(const std::vector<std::string>& definitions) {
  Json variables = Json::object();
  for (const std::string& definition : definitions) {
    const std::size_t equals = definition.find('=');
    const std::string name = definition.substr(0, equals);
    if (equals == std::string::npos || name.empty() || variables.contains(name)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--var: '{}' {}; write NAME=VALUE", definition,
                              equals == std::string::npos || name.empty() ? "names no value"
                                                                          : "is there twice"));
    }
    variables[name] = definition.substr(equals + 1);
  }
  return variables;
}

Result<RequestMatrix> read_matrix(const Arguments& arguments) {
  RequestMatrix matrix;
  matrix.provider = arguments.text("provider");
  if (arguments.has("model")) {
    const std::string models = fmt::format("{}", fmt::join(arguments.all("model"), ","));
    TRY_ASSIGN(matrix.models, parse_models(models, !matrix.provider.empty()));
  }
  if (arguments.has("models")) {
    if (arguments.has("model") || arguments.has("provider")) {
      return fail(
          ErrorCode::kInvalidArgument,
          "--models: the file says which models and providers; leave --model and --provider "
          "out");
    }
    TRY_ASSIGN(matrix.models, load_model_file(arguments.text("models")));
  }
  TRY_ASSIGN(const std::int64_t repeat, arguments.integer("repeat", 1, 1, kRepeatMax));
  matrix.repeat = static_cast<int>(repeat);
  if (arguments.has("seed")) {
    constexpr std::int64_t kSeedMax = std::numeric_limits<std::int32_t>::max();
    TRY_ASSIGN(matrix.seed, arguments.integer("seed", 0, 0, kSeedMax));
  }
  if (arguments.has("params")) {
    TRY_ASSIGN(matrix.params, params_option(arguments));
  }
  return matrix;
}

std::optional<RowSyntax> stated_syntax(const std::string& format) {
  if (format == "csv") return RowSyntax::kCommas;
  if (format == "tsv") return RowSyntax::kTabs;
  if (format.empty()) return std::nullopt;
  return RowSyntax::kLines;
}

/// --turns, --max-turns and --image, and the tools that templates name.
Result<void> read_conversation_turns(const Arguments& arguments, const ToolsOfWorker& tools,
                                     BatchPlan& plan) {
  TRY_ASSIGN(const std::int64_t max_turns,
             arguments.integer("max-turns", plan.max_turns, 1, kMaxTurnsMax));
  plan.max_turns = static_cast<int>(max_turns);
  const std::string column = arguments.text("turns");
  if (!column.empty() && plan.templates.empty()) plan.templates.push_back(blank_template());
  for (RequestTemplate& one : plan.templates) {
    if (!column.empty() && one.conversation.contains("turns")) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--turns: the template '{}' has turns of its own", one.name));
    }
    if (!column.empty()) one.conversation["turns"] = fmt::format("{{{{{}|json}}}}", column);
    one.images = arguments.all("image");
    if (one.tools.empty()) continue;
    TRY_ASSIGN(const auto known, tools());
    TRY(declare_tools(one, known));
  }
  if (plan.templates.empty() && arguments.has("image")) {
    return fail(ErrorCode::kInvalidArgument, "--image: is for a --prompt, --template or --turns");
  }
  return {};
}

/// Where the paths of images in rows begin.
std::vector<std::string> input_folders(const std::vector<std::string>& inputs) {
  std::vector<std::string> folders;
  for (const std::string& input : inputs) {
    std::error_code status;
    const std::filesystem::path path(input);
    if (std::filesystem::is_directory(path, status)) folders.push_back(input);
    const std::string parent = path.parent_path().string();
    folders.push_back(parent.empty() ? "." : parent);
  }
  return folders;
}

Result<void> check_rows(const Batch& batch, const BatchPlan& plan, const std::string& format) {
  const bool has_table =
      std::any_of(batch.sources().begin(), batch.sources().end(),
                  [](const BatchSource& source) { return source.syntax != RowSyntax::kLines; });
  if (!plan.types.empty() && !has_table) {
    return fail(ErrorCode::kInvalidArgument,
                "--types: is for CSV and TSV; JSON has types of its own");
  }
  if (!plan.templates.empty()) {
    if (format != "requests" && format != "openai-batch") return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--format {}: with a template, rows are variables", format));
  }
  for (const BatchSource& source : batch.sources()) {
    if (source.syntax == RowSyntax::kLines && format != "jsonl") continue;
    return fail(
        ErrorCode::kInvalidArgument,
        source.path + ": rows of variables need --prompt or --template, which says what to ask");
  }
  if (plan.variables.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "--var: is for a --prompt or --template");
}

}  // namespace

Result<std::unique_ptr<Batch>> open_run_inputs(const Arguments& arguments,
                                               const spool::Layout& layout,
                                               const std::string& run_id,
                                               const ToolsOfWorker& tools) {
  const std::string format = arguments.text("format");
  BatchPlan plan;
  if (format == "requests") plan.format = BatchFormat::kRequests;
  if (format == "openai-batch") plan.format = BatchFormat::kOpenAiBatch;
  if (!run_id.empty()) plan.id_ending = "+" + run_id;
  TRY_ASSIGN(plan.templates, load_templates(arguments.all("template"), arguments.all("prompt")));
  TRY(read_conversation_turns(arguments, tools, plan));
  plan.read_image = image_reader(input_folders(arguments.words()));
  TRY_ASSIGN(plan.variables, read_variables(arguments.all("var")));
  TRY_ASSIGN(plan.matrix, read_matrix(arguments));
  TRY_ASSIGN(plan.selection, row_selection(arguments));
  if (arguments.has("types")) {
    TRY_ASSIGN(plan.types, load_column_types(arguments.text("types")));
  }
  TRY_ASSIGN(auto batch, Batch::open(arguments.words(), RequestMaker(plan), layout, STDIN_FILENO,
                                     stated_syntax(format)));
  TRY(check_rows(*batch, plan, format));
  return batch;
}

}  // namespace filecall::client
