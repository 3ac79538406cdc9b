// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// A model to ask.
struct ModelChoice {
  std::string provider{};  ///< Empty: the request's own, or the worker's choice.
  std::string model{};
  std::string name{};            ///< In reports; empty: the model's.
  Json params = Json::object();  ///< Of this model; they win over those of all.
};

/// How one request becomes several: each model, each repeat.
struct RequestMatrix {
  std::vector<ModelChoice> models;   ///< Empty: the request's own.
  std::string provider;              ///< For every request; empty: its own.
  int repeat = 1;                    ///< At least 1.
  std::optional<std::int64_t> seed;  ///< Of repeat 1; counted up.
  Json params = Json::object();      ///< Set in every request.

  bool is_trivial() const {
    return models.empty() && provider.empty() && repeat == 1 && !seed && params.empty();
  }
};

/// "openai/gpt-4.1,claude": a list of models, each with a provider before its first slash when
/// `provider` is empty; names are taken whole otherwise. Failure: invalid_argument (an empty name,
/// the same twice).
Result<std::vector<ModelChoice>> parse_models(std::string_view list, bool has_provider);

/// The requests that `request` (without request_id) stands for, in order of models, then repeats.
/// Their metadata has the request's own, `item`, `prompt` and `vars` when given (not empty, not
/// null), and `provider`, `model` and `repeat` as they apply. Repeats of a request with a seed get
/// seeds that count up. Pure. Failure: invalid_argument, an option does not apply to the command.
struct RowLabels {
  std::string_view item;
  std::string_view prompt;
  Json vars;
};
Result<std::vector<Json>> multiply(const Json& request, const RowLabels& labels,
                                   const RequestMatrix& matrix);

}  // namespace filecall::client
