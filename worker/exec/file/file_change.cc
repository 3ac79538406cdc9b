// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_change.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <set>
#include <utility>

#include "base/take_until.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "worker/exec/file/draft_file.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/kept_attributes.h"

namespace filecall::worker::file {
namespace {

// The umask takes what it is for.
constexpr mode_t kDirectoryMode = 0777;
constexpr mode_t kFileMode = 0666;
/// NAME_MAX of Linux; a file system may allow fewer.
constexpr std::size_t kNameBytesMax = 255;
/// Each directory on the way is looked at, from the root on: a thousand would take seconds.
constexpr std::size_t kNamesMax = 256;
/// Until its attributes are those of the file that it replaces.
constexpr mode_t kOwnFileMode = 0600;

Unexpected<Error> is_missing(const std::string& what) {
  return fail(ErrorCode::kNotFound, what + ": no such file or directory");
}

/// Whether the directory lies beneath one that may be changed, and in the bounds of the request.
Result<void> check_writable(const FileRules& rules, const OpenPlace& directory,
                            std::string_view pointer, std::string_view path) {
  const std::string& beneath = rules.config.beneath;
  if (!beneath.empty() && !is_beneath(directory.whole(), beneath)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: '{}' leads out of '{}' (beneath)", pointer, path, beneath));
  }
  if (is_beneath_writable(rules, directory.whole())) return {};
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{}: '{}' is beneath none of {} (file.writable)", pointer, path,
                          fmt::join(rules.config.writable, ", ")));
}

/// `creates`: what is hidden could be made. Else it is not there, whether it exists or not.
Result<void> check_name(const FileRules& rules, const ChangePlace& place, std::string_view pointer,
                        std::string_view path, bool creates) {
  const std::string below = place.path();
  if (rules.protects(below, place.directory.root_path)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: '{}' is protected (file.protected)", pointer, path));
  }
  if (!rules.hides(below, place.directory.root_path)) return {};
  if (!creates) return is_missing(fmt::format("{}: '{}'", pointer, path));
  return fail(
      ErrorCode::kPermissionDenied,
      fmt::format("{}: a file of the name '{}' would be hidden (file.hidden)", pointer, path));
}

/// What a directory holds is on the disk once the directory is.
Result<void> sync_directory(const ChangePlace& place) {
  const UniqueFd fd = open_without_links(place.directory.fd.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!fd.is_open() || ::fsync(fd.get()) != 0) return fail_errno(errno, place.directory.whole());
  return {};
}

/// What becomes of directories that are not there.
enum class Missing : std::uint8_t {
  kIsRefused,
  kIsNamed,  ///< They become a part of the name.
};

/// The names of a path. Failure: one is ".." or too long, or the last one is of a directory.
Result<std::vector<std::string>> names_of(std::string_view below, std::string_view path,
                                          std::string_view pointer) {
  std::vector<std::string> names;
  while (!below.empty()) {
    std::string name(take_until(&below, '/'));
    if (name == "..") {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: '{}' holds '..'; name what is meant", pointer, path));
    }
    if (name.size() > kNameBytesMax) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: a name has at most {} bytes, and one of the path has {}",
                              pointer, kNameBytesMax, name.size()));
    }
    if (!name.empty() && name != ".") names.push_back(std::move(name));
  }
  if (names.size() > kNamesMax) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a path has at most {} names, and this one has {}", pointer,
                            kNamesMax, names.size()));
  }
  if (names.empty() || path.ends_with('/')) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: '{}' names a directory, not a file", pointer, path));
  }
  return names;
}

bool is_link(const ChangePlace& place) {
  struct stat info {};
  return ::fstatat(place.directory.fd.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(info.st_mode);
}

Result<ChangePlace> open_place_of(const FileRules& rules, std::string_view path,
                                  std::string_view pointer, Missing missing) {
  TRY_ASSIGN(const FilePlace chosen, choose_place(rules.config, path, pointer));
  TRY_ASSIGN(const auto names, names_of(chosen.below, path, pointer));
  ChangePlace place;
  SeenPlaces seen;
  constexpr int kFlags = O_PATH | O_DIRECTORY;
  TRY_ASSIGN(place.directory, open_place(rules, {chosen.root, "."}, kFlags, pointer, seen));
  std::size_t next = 0;
  for (; next + 1 < names.size(); ++next) {
    place.name = names[next];
    auto opened = open_place(rules, {chosen.root, place.path()}, kFlags, pointer, seen);
    if (!opened && missing == Missing::kIsNamed && opened.error().code == ErrorCode::kNotFound &&
        !is_link(place)) {
      break;
    }
    if (!opened) return Unexpected(std::move(opened).error());
    place.directory = *std::move(opened);
  }
  place.name = fmt::format(
      "{}", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(next), names.end(), "/"));
  if (place.directory.whole().size() + 1 + place.name.size() >= PATH_MAX) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a path has at most {} bytes", pointer, PATH_MAX - 1));
  }
  TRY(check_name(rules, place, pointer, path, missing != Missing::kIsRefused));
  TRY(check_writable(rules, place.directory, pointer, path));
  return place;
}

/// What it is instead of a regular file, in words; empty: it is one, or nothing is there.
std::string_view other_kind(const ChangePlace& place) {
  struct stat info {};
  if (::fstatat(place.directory.fd.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      S_ISREG(info.st_mode)) {
    return "";
  }
  if (S_ISLNK(info.st_mode)) return "is a link; name the file that it leads to";
  return S_ISDIR(info.st_mode) ? "is a directory" : "is not a regular file";
}

Unexpected<Error> changed_meanwhile(const ChangePlace& place) {
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: somebody else changes it at this moment; read it again", place.path()));
}

/// Whether `name` in that directory is what was read, and not written to since.
Result<bool> has_content_of(const ChangePlace& place, const std::string& name,
                            const struct stat& expected, bool is_renamed) {
  struct stat now {};
  if (::fstatat(place.directory.fd.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, place.path());
  }
  const auto are_equal = [](const struct timespec& a, const struct timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  return now.st_dev == expected.st_dev && now.st_ino == expected.st_ino &&
         now.st_size == expected.st_size && are_equal(now.st_mtim, expected.st_mtim) &&
         // A rename changes it as well.
         (is_renamed || are_equal(now.st_ctim, expected.st_ctim));
}

Result<void> check_unchanged(const ChangePlace& place, const struct stat& expected) {
  TRY_ASSIGN(const bool is_same, has_content_of(place, place.name, expected, false));
  if (!is_same) return changed_meanwhile(place);
  return {};
}

/// The two names are exchanged, so that what was there is looked at before it goes. False: this
/// file system cannot.
Result<bool> exchange(const ChangePlace& place, const std::string& name) {
  const int directory = place.directory.fd.get();
  if (::renameat2(directory, name.c_str(), directory, place.name.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return false;
  return fail_errno(errno, place.path());
}

/// What was taken out is not what was read: it goes back.
Unexpected<Error> put_back(const ChangePlace& place, DraftFile& draft) {
  const std::string name = draft.temporary_name();
  const auto done = exchange(place, name);
  if (done && *done && draft.is_at(name)) return changed_meanwhile(place);
  draft.forget_name();
  return fail(ErrorCode::kAborted,
              fmt::format("{}: several programs replace it at once; what one of them wrote is kept "
                          "in '{}'",
                          place.path(), name));
}

/// Puts a draft that has a temporary name in the place of the file.
Result<void> put_in_place(const ChangePlace& place, DraftFile& draft, const struct stat& expected) {
  const std::string name = draft.temporary_name();
  TRY(check_unchanged(place, expected));
  TRY_ASSIGN(const bool is_exchanged, exchange(place, name));
  if (is_exchanged) {
    const auto is_same = has_content_of(place, name, expected, true);
    if (!is_same || !*is_same) return put_back(place, draft);
    ::unlinkat(place.directory.fd.get(), name.c_str(), 0);
  } else if (::renameat(place.directory.fd.get(), name.c_str(), place.directory.fd.get(),
                        place.name.c_str()) != 0) {
    return fail_errno(errno, place.path());
  }
  if (draft.is_at(place.name)) return {};
  return fail(ErrorCode::kAborted,
              fmt::format("{}: somebody else replaced it in this very moment", place.path()));
}

}  // namespace

bool is_beneath_writable(const FileRules& rules, std::string_view whole) {
  return std::ranges::any_of(rules.config.writable, [whole](const std::string& writable) {
    const UniqueFd fd(::open(writable.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd.is_open()) return false;
    const auto real = place_of_descriptor(fd.get());
    return real && is_beneath(whole, *real);
  });
}

bool is_taken(const ChangePlace& place) {
  struct stat info {};
  return place.name.find('/') == std::string::npos &&
         ::fstatat(place.directory.fd.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

std::string ChangePlace::path() const {
  return directory.path == "." ? name : directory.path + "/" + name;
}

Result<ChangePlace> open_for_change(const FileRules& rules, std::string_view path,
                                    std::string_view pointer) {
  return open_place_of(rules, path, pointer, Missing::kIsRefused);
}

Result<ChangePlace> open_for_create(const FileRules& rules, std::string_view path,
                                    std::string_view pointer) {
  return open_place_of(rules, path, pointer, Missing::kIsNamed);
}

Result<void> check_may_change(const FileRules& rules, std::string_view path,
                              std::string_view pointer) {
  TRY(open_place_of(rules, path, pointer, Missing::kIsNamed));
  return {};
}

Result<PlaceLocks::Held> hold_places(const std::vector<const ChangePlace*>& places) {
  std::vector<PlaceKey> keys;
  std::set<PlaceKey> seen;
  for (const ChangePlace* place : places) {
    struct stat info {};
    if (::fstat(place->directory.fd.get(), &info) != 0) return fail_errno(errno, place->path());
    PlaceKey key{info.st_dev, info.st_ino, place->name};
    if (!seen.insert(key).second) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: is changed twice; make one change of both", place->path()));
    }
    keys.push_back(std::move(key));
  }
  auto held = PlaceLocks::of_process().hold(std::move(keys));
  for (const ChangePlace* place : places) remove_leftovers(place->directory.fd.get());
  return held;
}

Result<PlaceLocks::Held> hold_place(const ChangePlace& place) { return hold_places({&place}); }

Result<ChangePlace> open_target(const FileRules& rules, std::string_view path,
                                std::string_view pointer) {
  TRY_ASSIGN(const FilePlace chosen, choose_place(rules.config, path, pointer));
  TRY_ASSIGN(const OpenPlace real, open_place(rules, chosen, O_PATH, pointer));
  // Where it really lies: that is what must be writable.
  return open_for_change(rules, name_of(rules, real.root, real.path), pointer);
}

Result<void> read_held(const FileRules& rules, HeldFile& file, const std::string& what) {
  const ChangePlace& place = file.place;
  auto opened = open_regular_file_at(place.directory.fd.get(), place.name, O_RDONLY, what);
  if (!opened) {
    if (opened.error().code == ErrorCode::kNotFound) return is_missing(what);
    if (const std::string_view kind = other_kind(place); !kind.empty()) {
      return fail(ErrorCode::kFailedPrecondition, fmt::format("{} {}", what, kind));
    }
    return Unexpected(std::move(opened).error());
  }
  file.fd = std::move(opened->fd);
  file.info = opened->info;
  TRY_ASSIGN(file.bytes, read_regular_content(rules, file.fd.get(), file.info, what));
  return {};
}

Result<HeldFile> hold_file(const FileRules& rules, std::string_view path,
                           std::string_view pointer) {
  HeldFile file;
  TRY_ASSIGN(file.place, open_target(rules, path, pointer));
  TRY_ASSIGN(file.lock, hold_place(file.place));
  TRY(read_held(rules, file, fmt::format("{}: '{}'", pointer, path)));
  return file;
}

Result<void> publish_new(const ChangePlace& place, std::string_view bytes,
                         std::optional<unsigned> mode) {
  remove_leftovers(place.directory.fd.get());
  const std::string where = place.path();
  TRY_ASSIGN(DraftFile draft,
             DraftFile::create(place.directory.fd.get(), place.name, where, kFileMode));
  TRY(draft.write(bytes));
  if (mode && ::fchmod(draft.fd(), static_cast<mode_t>(*mode)) != 0) {
    return fail_errno(errno, where);
  }
  TRY(draft.sync());
  TRY(draft.publish());
  return sync_directory(place);
}

Result<void> replace_file(const HeldFile& file, std::string_view bytes) {
  const ChangePlace& place = file.place;
  TRY_ASSIGN(DraftFile draft,
             DraftFile::create(place.directory.fd.get(), place.name, place.path(), kOwnFileMode));
  TRY(draft.write(bytes));
  TRY(keep_attributes(file.fd.get(), file.info, draft.fd(), place.path()));
  TRY(draft.sync());
  TRY(draft.give_name());
  TRY(put_in_place(place, draft, file.info));
  return sync_directory(place);
}

Result<void> remove_file(const ChangePlace& place, const struct stat& expected) {
  TRY(check_unchanged(place, expected));
  if (::unlinkat(place.directory.fd.get(), place.name.c_str(), 0) != 0) {
    return fail_errno(errno, place.path());
  }
  return sync_directory(place);
}

}  // namespace filecall::worker::file
