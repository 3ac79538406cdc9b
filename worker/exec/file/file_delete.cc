// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <utility>

#include "os/regular_file.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"

namespace filecall::worker::file {
Outcome file_delete(const FileJob& job) {
  const std::string path = text_param(job.params, "path");
  auto place = open_for_change(job.rules, path, kPathPointer, false);
  if (!place) return refused(std::move(place).error());
  const auto lock = hold_place(*place);
  if (!lock) return refused(lock.error());
  const std::string what = fmt::format("{}: '{}'", kPathPointer, path);
  auto file = open_regular_file_at(place->directory.fd.get(), place->name, O_RDONLY, what);
  if (!file) {
    Error error = std::move(file).error();
    if (error.code == ErrorCode::kNotFound) error.message = what + ": no such file";
    return refused(std::move(error));
  }
  const auto bytes = read_regular_content(job.rules, file->fd.get(), file->info, what);
  if (!bytes) return refused(bytes.error());
  const std::string sha256 = sha256_hex(*bytes);
  if (sha256 != text_param(job.params, "base_sha256")) {
    Failure failure =
        Failure::of({ErrorCode::kFailedPrecondition,
                     what + " is another by now: nothing was deleted; read it again (file.read)"});
    failure.details = Json{{"sha256", sha256}};
    return Unexpected(std::move(failure));
  }
  if (auto done = remove_file(*place, file->info); !done) return refused(std::move(done).error());
  return Json{{"path", name_of(job.rules, place->directory.root, place->path())},
              {"bytes", bytes->size()},
              {"sha256", sha256}};
}

}  // namespace filecall::worker::file
