// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/file/file_config.h"
#include "worker/exec/file/path_glob.h"

namespace filecall::worker::file {

/// Names that a list of globs fits: a path fits when it does, or a directory above it.
class NameList {
 public:
  /// A glob is one of PathGlob's, with alternatives in braces; "./" before it binds it to the root,
  /// "/" behind it may stand, and an absolute path lies beneath one of `roots`, for which it then
  /// counts. Failure: invalid_argument, says why a glob would never fit: an absolute one beneath no
  /// root, one with
  /// "..", "!" or "~".
  static Result<NameList> compile(const std::vector<std::string>& globs,
                                  const std::vector<std::string>& roots);

  /// `path` is relative, without "." and "..".
  bool has(std::string_view path) const;
  /// The same of a path whose directories are known not to fit.
  bool has_last(std::string_view path) const;

 private:
  std::vector<PathGlob> globs_;
};

/// What the owner of the machine allows, ready for use. Pure; read by any thread.
struct FileRules {
  FileConfig config;
  NameList hidden;
  NameList protect;

  /// Failure: invalid_argument, says which setting; a root that another root hides.
  static Result<FileRules> compile(FileConfig config);

  /// Whether a place is not there for requests: a name of it is hidden, by any root that it lies
  /// in, or it is the worker's own. `path` is below the root, `root_path` the root without links.
  bool hides(std::string_view path, std::string_view root_path) const;
  /// The same of a path whose directories are known not to be hidden.
  bool hides_last(std::string_view path, std::string_view root_path) const;
  /// Whether it may be read and not changed.
  bool protects(std::string_view path, std::string_view root_path) const;
  /// Whether it is one of FileConfig::own_ids.
  bool is_own_file(dev_t device, ino_t inode) const;

 private:
  /// Whether a path below a root, or below another root that it lies in, fits.
  template <typename Fits>
  bool fits_in_any_root(std::string_view path, std::string_view root_path, const Fits& fits) const;
};

/// A place as a request names it: the root that it counts from, and the rest, relative ("." for the
/// root itself).
struct FilePlace {
  std::size_t root = 0;  ///< Of FileConfig::roots.
  std::string below;
};
/// Relative paths count from the first root; an absolute one must begin with a root. Looks at the
/// text alone; opening checks the links. Failures: permission_denied (no root is configured, none
/// has it), invalid_argument (a NUL, empty). Messages begin with `pointer` ("/params/path").
Result<FilePlace> choose_place(const FileConfig& config, std::string_view path,
                               std::string_view pointer);

/// Whether `path` is `directory` or lies below it; both absolute and without links.
bool is_beneath(std::string_view path, std::string_view directory);

}  // namespace filecall::worker::file
