// SPDX-License-Identifier: MIT
#include "client/eval/runner/spec_file.h"

#include <filesystem>

#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kSpecBytesMax = 16 * 1024 * 1024;

}  // namespace

Result<EvalSpec> load_eval_spec(const std::string& path) {
  TRY_ASSIGN(const std::string yaml, read_named_file(path, kSpecBytesMax));
  const auto folder = std::filesystem::path(path).parent_path();
  return read_eval_spec(yaml, path, [&folder](const std::string& name) {
    return read_named_file((folder / name).string(), kSpecBytesMax);
  });
}

}  // namespace filecall::client
