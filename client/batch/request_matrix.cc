// SPDX-License-Identifier: MIT
#include "client/batch/request_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"

namespace filecall::client {
namespace {

Json own_metadata(const Json& request, const RowLabels& labels) {
  const auto found = request.find("metadata");
  Json metadata = found != request.end() && found->is_object() ? *found : Json::object();
  metadata["item"] = labels.item;
  if (!labels.prompt.empty()) metadata["prompt"] = labels.prompt;
  if (!labels.vars.is_null()) metadata["vars"] = labels.vars;
  return metadata;
}

/// The part of the matrix that the command has no parameter for.
std::string misfit(const std::string& command, const RequestMatrix& matrix) {
  const bool is_chat = command == "llm.chat";
  if (matrix.seed && !is_chat) return fmt::format("--seed: {} has no seed", command);
  if ((!matrix.models.empty() || !matrix.provider.empty()) && !command.starts_with("llm.")) {
    return fmt::format("--model, --provider: {} asks no model", command);
  }
  return {};
}

void choose_model(Json& params, const RequestMatrix& matrix, const ModelChoice& choice) {
  if (!matrix.provider.empty()) params["provider"] = matrix.provider;
  if (!choice.provider.empty()) params["provider"] = choice.provider;
  if (!choice.model.empty()) params["model"] = choice.model;
  params.update(choice.params);
}

/// Counted up from `first`; beyond the last number comes the first.
std::int64_t seed_of(std::int64_t first, int repeat) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                   static_cast<std::uint64_t>(repeat) - 1);
}

}  // namespace

Result<std::vector<ModelChoice>> parse_models(std::string_view list, bool has_provider) {
  std::vector<ModelChoice> models;
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    const std::size_t slash = has_provider ? std::string_view::npos : name.find('/');
    ModelChoice choice;
    if (slash != std::string_view::npos) choice.provider = name.substr(0, slash);
    choice.model = slash == std::string_view::npos ? name : name.substr(slash + 1);
    const bool is_known = std::any_of(models.begin(), models.end(), [&](const ModelChoice& other) {
      return other.model == choice.model && other.provider == choice.provider;
    });
    if (choice.model.empty() || slash == 0 || is_known) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--model: '{}' {}; write MODEL or PROVIDER/MODEL, or name the "
                              "provider with --provider",
                              name, is_known ? "is listed twice" : "is not a model"));
    }
    models.push_back(std::move(choice));
    if (comma == list.size()) return models;
    list.remove_prefix(comma + 1);
  }
}

Result<std::vector<Json>> multiply(const Json& request, const RowLabels& labels,
                                   const RequestMatrix& matrix) {
  const Json stated = request.value("command", Json(""));
  if (!stated.is_string()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'command' is {}; write the name of a command, such as \"llm.chat\"",
                            excerpt(dump_json(stated))));
  }
  const auto& command = stated.get_ref<const std::string&>();
  if (std::string problem = misfit(command, matrix); !problem.empty()) {
    return fail(ErrorCode::kInvalidArgument, std::move(problem));
  }
  const Json metadata = own_metadata(request, labels);
  Json base = request;
  Json& base_params = base["params"];
  if (base_params.is_object()) base_params.update(matrix.params);
  std::vector<Json> out;
  const std::vector<ModelChoice> as_written(1);
  for (const ModelChoice& choice : matrix.models.empty() ? as_written : matrix.models) {
    for (int repeat = 1; repeat <= matrix.repeat; ++repeat) {
      Json made = base;
      made["metadata"] = metadata;
      made["metadata"]["repeat"] = repeat;
      Json& params = made["params"];
      if (params.is_object()) {
        choose_model(params, matrix, choice);
        const Json own_seed = params.value("seed", Json());
        if (matrix.seed) {
          params["seed"] = seed_of(*matrix.seed, repeat);
        } else if (own_seed.is_number_integer() && matrix.repeat > 1) {
          params["seed"] = seed_of(own_seed.get<std::int64_t>(), repeat);
        }
        for (const char* name : {"provider", "model"}) {
          if (params.contains(name)) made["metadata"][name] = params[name];
        }
        if (!choice.name.empty()) made["metadata"]["model"] = choice.name;
      }
      out.push_back(std::move(made));
    }
  }
  return out;
}

}  // namespace filecall::client
