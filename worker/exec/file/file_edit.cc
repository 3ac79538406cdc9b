// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <utility>

#include "worker/exec/file/changed_text.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"

namespace filecall::worker::file {

Outcome file_edit(const FileJob& job) {
  const std::string path = text_param(job.params, "path");
  auto file = hold_file(job.rules, path, kPathPointer);
  if (!file) return refused(std::move(file).error());
  const std::string name = name_of(job.rules, file->place.directory.root, file->place.path());
  const std::string before_sha256 = sha256_hex(file->bytes);
  if (before_sha256 != text_param(job.params, "base_sha256")) {
    Failure failure = Failure::of(
        {ErrorCode::kFailedPrecondition,
         fmt::format("{}: '{}' is another by now: nothing was changed; read it again (file.read)",
                     kPathPointer, path)});
    failure.details = Json{{"sha256", before_sha256}};
    return Unexpected(std::move(failure));
  }
  if (encoding_of(file->bytes) != "utf-8") {
    return refused(
        {ErrorCode::kFailedPrecondition, fmt::format("{}: '{}' is no UTF-8 text ({})", kPathPointer,
                                                     path, encoding_of(file->bytes))});
  }
  TRY_ASSIGN(const ChangedText changed,
             changed_text(job.params, "content", name, file->bytes, "/params"));
  if (auto fits = check_size(job.rules, changed.content.size(), "/params"); !fits) {
    return refused(std::move(fits).error());
  }
  auto difference =
      shown_difference(name, file->bytes, changed.content, job.rules.config.read_bytes);
  if (!difference) return refused(std::move(difference).error());
  const bool is_changed = changed.content != file->bytes;
  if (is_changed) {
    auto done = replace_file(*file, changed.content);
    if (!done) return refused(std::move(done).error());
  }
  return Json{{"path", name},
              {"changed", is_changed},
              {"before_sha256", before_sha256},
              {"sha256", sha256_hex(changed.content)},
              {"bytes", changed.content.size()},
              {"diff", std::move(difference->diff)},
              {"diff_left_out", difference->left_out},
              {"hunks", changed.hunks}};
}

}  // namespace filecall::worker::file
