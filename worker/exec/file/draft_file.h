// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::worker::file {

/// A file that is written in the directory of the one that it will be. It has no name as long as
/// the file system can do without one (O_TMPFILE), so that a worker that is killed leaves nothing.
/// A name that it has is ".NAME.filecall-new-" and 16 random hex digits, and its file is locked
/// (flock(2)) while its maker lives. Blocks; any thread. `directory` outlives it.
class DraftFile {
 public:
  /// `name` is that of the file that it will be; errors begin with `where`.
  static Result<DraftFile> create(int directory, std::string name, std::string where, mode_t mode);
  DraftFile(DraftFile&&) = default;
  DraftFile& operator=(DraftFile&&) = delete;
  /// Removes its temporary name.
  ~DraftFile();

  int fd() const { return fd_.get(); }
  Result<void> write(std::string_view bytes);
  /// On the disk, with what it holds.
  Result<void> sync();
  /// Publishes it under the name that it is for. Failure: already_exists.
  Result<void> publish();
  /// Gives it its temporary name, if it has none yet.
  Result<void> give_name();
  /// Empty as long as it has none.
  const std::string& temporary_name() const { return temporary_.text; }
  /// The name is the caller's now: it stays.
  void forget_name() { temporary_.text.clear(); }
  /// Whether this is what `name` leads to, in its directory.
  bool is_at(const std::string& name) const;

 private:
  /// A name that is empty once it was moved away.
  struct Name {
    std::string text;
    Name() = default;
    Name(Name&& other) noexcept : text(std::move(other.text)) { other.text.clear(); }
    Name& operator=(Name&&) = delete;
  };

  DraftFile(int directory, std::string name, std::string where);

  int directory_;
  std::string name_;
  std::string where_;
  UniqueFd fd_;
  Name temporary_;
};

/// Whether a name is one that give_name() makes.
bool is_temporary_name(std::string_view name);

/// A name beside a file for its other content while several files are changed together:
/// ".NAME.filecall-apply-" and 16 random hex digits. A record names it (worker/changes), and nobody
/// else removes it.
std::string make_aside_name(std::string_view name);
/// Whether a name is one of these two kinds.
bool is_own_name(std::string_view name);

/// Removes what killed workers left in a directory: files with names of give_name() that no living
/// process holds. A directory is looked at once, since what lives cleans up behind itself. Thread
/// safe.
void remove_leftovers(int directory);

}  // namespace filecall::worker::file
