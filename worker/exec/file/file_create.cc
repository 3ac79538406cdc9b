// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <string>
#include <utility>

#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/file/new_file.h"

namespace filecall::worker::file {

Outcome file_create(const FileJob& job) {
  const std::string path = text_param(job.params, "path");
  const std::string content = text_param(job.params, "content");
  if (auto fits = check_size(job.rules, content.size(), "/params/content"); !fits) {
    return refused(std::move(fits).error());
  }
  auto file = create_file(job.rules, path, kPathPointer, content, mode_param(job.params));
  if (!file) {
    Error error = std::move(file).error();
    if (error.code == ErrorCode::kAlreadyExists) {
      error.message =
          fmt::format("{}: '{}' is there already; change it with file.edit", kPathPointer, path);
    }
    return refused(std::move(error));
  }
  return Json{{"path", file->name},
              {"bytes", content.size()},
              {"sha256", sha256_hex(content)},
              {"directories", file->directories}};
}

}  // namespace filecall::worker::file
