// SPDX-License-Identifier: MIT
#include "worker/exec/system/describe.h"

#include <fmt/core.h>

#include "base/nearest.h"
#include "base/result.h"

namespace filecall::worker {
namespace {

Outcome only(const Json& catalog, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Json& command : catalog.at("commands")) {
    names.push_back(command.at("name").get_ref<const std::string&>());
    if (names.back() != name) continue;
    Json one = {{"commands", Json::array({command})}, {"tools", Json::array()}};
    if (name == "tool.run") {
      for (const char* member : {"tools", "tool_sandbox"}) {
        if (catalog.contains(member)) one[member] = catalog[member];
      }
    }
    return one;
  }
  Failure failure;
  failure.code = ErrorCode::kNotFound;
  failure.message =
      fmt::format("/params/command: unknown command '{}'{}", name, suggest(name, names));
  return failure;
}

}  // namespace

SystemDescribe::SystemDescribe(std::string_view schema, std::function<Json()> catalog)
    : info_{"system.describe",
            "Lists the commands and declared tools of this worker, with their input schemas.",
            schema, Effects::kNone, Risk::kLow},
      catalog_(std::move(catalog)) {}

Result<ExecutionPlan, Failure> SystemDescribe::plan(const Request&) { return ExecutionPlan{}; }

std::unique_ptr<Execution> SystemDescribe::start(const Request& request, const ExecutionContext&,
                                                 std::function<void(Outcome)> done) {
  Json catalog = catalog_();
  const auto asked = request.params.find("command");
  done(asked == request.params.end() ? Outcome(std::move(catalog))
                                     : only(catalog, asked->get<std::string>()));
  return nullptr;
}

}  // namespace filecall::worker
