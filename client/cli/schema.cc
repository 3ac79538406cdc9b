// SPDX-License-Identifier: MIT
#include "ipc/schema_catalog.h"

#include <fmt/core.h>

#include "base/nearest.h"
#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"

namespace filecall::client {

int schema_command(const Arguments& arguments) {
  const auto names = schema_names();
  if (arguments.words().empty()) {
    if (arguments.has("json")) {
      print_json(names);
      return kExitSuccess;
    }
    for (const std::string_view name : names) print(fmt::format("{}\n", name));
    return kExitSuccess;
  }
  const std::string& name = arguments.words()[0];
  auto text = find_schema(name);
  if (!text) text = find_schema("command." + name);
  if (!text) {
    const std::string_view near = nearest_name(name, names);
    return report_error({ErrorCode::kNotFound,
                         fmt::format("{}: no such schema{}; 'filecall schema' lists them", name,
                                     near.empty() ? "" : fmt::format(", did you mean {}?", near))});
  }
  print(*text);
  if (!text->ends_with('\n')) print("\n");
  return kExitSuccess;
}

}  // namespace filecall::client
