// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <string>
#include <utility>

#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"

namespace filecall::worker::file {
namespace {

/// Octal text, as the schema says.
std::optional<unsigned> mode_param(const Json& params) {
  if (!params.contains("mode")) return std::nullopt;
  return static_cast<unsigned>(std::stoul(params["mode"].get<std::string>(), nullptr, 8));
}

}  // namespace

Outcome file_create(const FileJob& job) {
  const std::string path = text_param(job.params, "path");
  const std::string content = text_param(job.params, "content");
  if (auto fits = check_size(job.rules, content.size(), "/params/content"); !fits) {
    return refused(std::move(fits).error());
  }
  auto place = open_for_change(job.rules, path, kPathPointer, true);
  if (!place) return refused(std::move(place).error());
  if (auto done = publish_new(*place, content, mode_param(job.params)); !done) {
    Error error = std::move(done).error();
    if (error.code == ErrorCode::kAlreadyExists) {
      error.message =
          fmt::format("{}: '{}' is there already; change it with file.edit", kPathPointer, path);
    }
    return refused(std::move(error));
  }
  return Json{{"path", name_of(job.rules, place->directory.root, place->path())},
              {"bytes", content.size()},
              {"sha256", sha256_hex(content)},
              {"directories", place->made}};
}

}  // namespace filecall::worker::file
