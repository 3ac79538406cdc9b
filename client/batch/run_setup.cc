// SPDX-License-Identifier: MIT
#include "client/batch/run_setup.h"

#include "client/core/digest.h"

namespace filecall::client {

Json run_setup(const BatchPlan& plan) {
  Json setup = {{"repeat", plan.matrix.repeat}};
  for (const RequestTemplate& one : plan.templates) {
    Json prompt = {{"name", one.name}, {"request", one.request}};
    if (!one.prompt.empty()) prompt["text"] = one.prompt;
    prompt["digest"] = digest_of(dump_json({one.request, one.prompt}));
    setup["prompts"].push_back(std::move(prompt));
  }
  for (const ModelChoice& choice : plan.matrix.models) {
    setup["models"].push_back(choice.provider.empty() ? choice.model
                                                      : choice.provider + "/" + choice.model);
  }
  if (!plan.matrix.provider.empty()) setup["provider"] = plan.matrix.provider;
  if (!plan.matrix.params.empty()) setup["params"] = plan.matrix.params;
  if (!plan.variables.empty()) setup["variables"] = plan.variables;
  if (plan.matrix.seed) setup["seed"] = *plan.matrix.seed;
  if (plan.selection.any()) setup["selection"] = selection_json(plan.selection);
  return setup;
}

}  // namespace filecall::client
