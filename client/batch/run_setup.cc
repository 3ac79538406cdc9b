// SPDX-License-Identifier: MIT
#include "client/batch/run_setup.h"

#include "client/core/digest.h"

namespace filecall::client {

namespace {

/// A name as in --model, or all that a file of models says.
Json model_setup(const ModelChoice& choice) {
  if (choice.name.empty() && choice.params.empty()) {
    return choice.provider.empty() ? choice.model : choice.provider + "/" + choice.model;
  }
  Json setup = {{"model", choice.model}, {"params", choice.params}};
  if (!choice.provider.empty()) setup["provider"] = choice.provider;
  if (!choice.name.empty()) setup["name"] = choice.name;
  return setup;
}

}  // namespace

Json run_setup(const BatchPlan& plan) {
  Json setup = {{"repeat", plan.matrix.repeat}};
  for (const RequestTemplate& one : plan.templates) {
    Json prompt = {{"name", one.name}, {"request", one.request}};
    if (!one.prompt.empty()) prompt["text"] = one.prompt;
    Json told = {one.request, one.prompt};
    if (!one.conversation.is_null()) told.push_back(prompt["conversation"] = one.conversation);
    if (!one.images.empty()) told.push_back(prompt["images"] = one.images);
    prompt["digest"] = digest_of(dump_json(told));
    setup["prompts"].push_back(std::move(prompt));
  }
  for (const ModelChoice& choice : plan.matrix.models) {
    setup["models"].push_back(model_setup(choice));
  }
  if (!plan.matrix.provider.empty()) setup["provider"] = plan.matrix.provider;
  if (!plan.matrix.params.empty()) setup["params"] = plan.matrix.params;
  if (!plan.variables.empty()) setup["variables"] = plan.variables;
  if (plan.matrix.seed) setup["seed"] = *plan.matrix.seed;
  if (!plan.types.empty()) setup["types"] = column_types_json(plan.types);
  if (plan.selection.any()) setup["selection"] = selection_json(plan.selection);
  return setup;
}

}  // namespace filecall::client
