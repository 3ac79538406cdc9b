// SPDX-License-Identifier: MIT
#include "client/eval/runner/regular_request.h"

#include <utility>

#include "spool/client_files.h"

namespace filecall::client {

Result<std::optional<std::string>> regular_request(const spool::Root& root, std::string_view id) {
  using Text = std::optional<std::string>;
  auto file = spool::read_request_file(*root.directories(), id);
  if (!file && file.error().code == ErrorCode::kFailedPrecondition) return Text();
  if (!file) return Unexpected(file.error());
  return *file ? Text(std::move((*file)->bytes)) : Text();
}

}  // namespace filecall::client
