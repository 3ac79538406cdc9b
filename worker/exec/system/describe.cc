// SPDX-License-Identifier: MIT
#include "worker/exec/system/describe.h"

namespace filecall::worker {

SystemDescribe::SystemDescribe(std::string_view schema, std::function<Json()> catalog)
    : info_{"system.describe",
            "Lists the commands and declared tools of this worker, with their input schemas.",
            schema, Effects::kNone, Risk::kLow},
      catalog_(std::move(catalog)) {}

std::variant<ExecutionPlan, Failure> SystemDescribe::plan(const Request&) {
  return ExecutionPlan{};
}

std::unique_ptr<Execution> SystemDescribe::start(const Request&, const ExecutionContext&,
                                                 std::function<void(Outcome)> done) {
  done(catalog_());
  return nullptr;
}

}  // namespace filecall::worker
