// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <utility>

#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"

namespace filecall::worker::file {
namespace {

/// The file itself, through no link; its place is held.
Result<HeldFile> hold_itself(const FileRules& rules, const std::string& path) {
  HeldFile file;
  TRY_ASSIGN(file.place, open_for_change(rules, path, kPathPointer));
  TRY_ASSIGN(file.lock, hold_place(file.place));
  TRY(read_held(rules, file, fmt::format("{}: '{}'", kPathPointer, path)));
  return file;
}

}  // namespace

Outcome file_delete(const FileJob& job) {
  const std::string path = text_param(job.params, "path");
  auto file = hold_itself(job.rules, path);
  if (!file) return refused(std::move(file).error());
  const std::string sha256 = sha256_hex(file->bytes);
  if (sha256 != text_param(job.params, "base_sha256")) {
    Failure failure = Failure::of(
        {ErrorCode::kFailedPrecondition,
         fmt::format("{}: '{}' is another by now: nothing was deleted; read it again (file.read)",
                     kPathPointer, path)});
    failure.details = Json{{"sha256", sha256}};
    return Unexpected(std::move(failure));
  }
  if (auto done = remove_file(file->place, file->info); !done) {
    return refused(std::move(done).error());
  }
  return Json{{"path", name_of(job.rules, file->place.directory.root, file->place.path())},
              {"bytes", file->bytes.size()},
              {"sha256", sha256}};
}

}  // namespace filecall::worker::file
