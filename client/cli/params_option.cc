// SPDX-License-Identifier: MIT
#include "client/cli/params_option.h"

#include <fmt/core.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/result.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/io.h"

namespace filecall::client {
namespace {

Result<std::string> params_text(const std::string& option) {
  if (option == "-") return read_all(STDIN_FILENO, limits::kRequestBytes, "standard input");
  if (option.starts_with('@')) return read_file(option.substr(1), limits::kRequestBytes);
  return option.empty() ? "{}" : option;
}

}  // namespace

Result<Json> object_option(const Arguments& arguments, std::string_view option) {
  TRY_ASSIGN(const std::string text, params_text(arguments.text(option)));
  auto parsed = parse_json_strict(text, limits::kDepth);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--{}: {}", option, parsed.error().message));
  }
  Json& json = *parsed;
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--{}: must be a JSON object, e.g. '{{\"name\": \"value\"}}'", option));
  }
  return std::move(json);
}

Result<Json> params_option(const Arguments& arguments) {
  return object_option(arguments, "params");
}

}  // namespace filecall::client
