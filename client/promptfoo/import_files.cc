// SPDX-License-Identifier: MIT
#include "client/promptfoo/import_files.h"

#include <utility>

namespace filecall::client {

std::string path_of_url(const std::string& text) {
  constexpr std::string_view kScheme = "file://";
  return text.starts_with(kScheme) ? text.substr(kScheme.size()) : std::string();
}

bool is_program_path(std::string path) {
  if (const auto colon = path.rfind(':'); colon != std::string::npos && colon > 1) {
    path.resize(colon);
  }
  for (const char* ending : {".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".go"}) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Result<ConfigNode> read_config(ImportFiles& files, const std::string& path) {
  if (is_program_path(path)) return refused(path + ": is a program; write what it makes");
  TRY_ASSIGN(const std::string text, files.read(path));
  return ConfigNode::parse(text, path);
}

Unexpected<Error> refused(std::string why) {
  return fail(ErrorCode::kInvalidArgument, std::move(why));
}

}  // namespace filecall::client
