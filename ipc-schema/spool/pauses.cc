// SPDX-License-Identifier: MIT
#include "spool/pauses.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "os/clock.h"
#include "os/io.h"
#include "os/unique_fd.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::spool {
namespace {

constexpr std::string_view kRoot = "root";
constexpr std::string_view kDestination = "destination.";
constexpr std::string_view kBatch = "batch.";
constexpr std::size_t kNameBytesMax = 255;
/// Two changes within one tick of the kernel's clock leave one time.
constexpr Duration kTick = milliseconds(100);

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string encoded(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    if (is_plain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// Empty: no name was written so.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return {};
    const auto high = digit(text[at + 1]);
    const auto low = digit(text[at + 2]);
    if (!high || !low) return {};
    out += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return out;
}

Result<PauseSet> read_folder(const std::string& path) {
  const auto folder = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return PauseSet{};
  if (!folder) return Unexpected(folder.error());
  PauseSet set;
  TRY(read_directory(folder->get(),
                     [&](const DirectoryEntry& entry) { add_pause(entry.name, set); }));
  return set;
}

}  // namespace

std::string pause_file_name(PauseKind kind, std::string_view name) {
  switch (kind) {
    case PauseKind::kRoot:
      break;
    case PauseKind::kDestination:
      return std::string(kDestination) + encoded(name);
    case PauseKind::kBatch:
      return std::string(kBatch) + encoded(name);
  }
  return std::string(kRoot);
}

void add_pause(std::string_view file_name, PauseSet& set) {
  if (file_name == kRoot) set.everything = true;
  const auto add = [&](std::string_view prefix, auto& names) {
    if (!file_name.starts_with(prefix)) return;
    const std::string_view text = file_name.substr(prefix.size());
    std::string name = decoded(text);
    // One file for each name: what ends a pause removes no other one.
    if (!name.empty() && encoded(name) == text) names.insert(std::move(name));
  };
  add(kDestination, set.destinations);
  add(kBatch, set.batches);
}

HeldNames held_names(const PauseSet& set, std::size_t limit) {
  HeldNames names;
  names.count = set.destinations.size() + (set.everything ? 1 : 0);
  if (set.everything && limit > 0) names.first.emplace_back(kRoot);
  for (const std::string& name : set.destinations) {
    if (names.first.size() >= limit) break;
    names.first.push_back(name);
  }
  return names;
}

std::string held_text(const HeldNames& names) {
  if (names.count == 0) return "nothing";
  std::string text;
  for (const std::string& name : names.first) text += (text.empty() ? "" : " ") + name;
  if (names.count == names.first.size()) return text;
  if (!text.empty()) text += ", and ";
  return text + std::to_string(names.count - names.first.size()) + " more";
}

Result<PauseSet> read_pauses(const Layout& layout) { return read_folder(layout.paused()); }

Result<void> write_pause(const Layout& layout, PauseKind kind, std::string_view name,
                         const Json& about) {
  const std::string file_name = pause_file_name(kind, name);
  if (file_name.size() > kNameBytesMax) {
    return fail(ErrorCode::kInvalidArgument, "the name is too long to be a file's; pause the root");
  }
  TRY(make_directories(layout.paused()));
  TRY_ASSIGN(const UniqueFd folder,
             open_file(layout.paused(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  // Synced: a pause holds through a power cut.
  const auto written =
      replace_file(folder.get(), file_name, dump_json(about) + "\n", Durability::kFull);
  if (!written) return fail(written.error().code, "paused/" + written.error().message);
  return {};
}

Result<bool> remove_pause(const Layout& layout, PauseKind kind, std::string_view name) {
  const auto folder = open_file(layout.paused(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return false;
  if (!folder) return Unexpected(folder.error());
  const std::string file_name = pause_file_name(kind, name);
  if (::unlinkat(folder->get(), file_name.c_str(), 0) == 0) {
    TRY(sync_directory(folder->get()));
    return true;
  }
  if (errno == ENOENT || errno == ENAMETOOLONG) return false;
  // A directory pauses, too: the name is all that counts.
  if (errno == EISDIR || errno == EPERM) {
    if (::unlinkat(folder->get(), file_name.c_str(), AT_REMOVEDIR) == 0) {
      TRY(sync_directory(folder->get()));
      return true;
    }
    if (errno == ENOTEMPTY || errno == EEXIST) {
      return fail(ErrorCode::kFailedPrecondition,
                  layout.paused() + "/" + file_name +
                      ": is a directory with files in it; remove it yourself");
    }
  }
  return fail_errno(errno, layout.paused() + "/" + file_name);
}

bool PauseLook::refresh(WallTime now) {
  struct stat info {};
  const bool has_directory = ::lstat(path_.c_str(), &info) == 0;
  const WallTime changed_at = has_directory ? wall_time_of(info.st_mtim) : WallTime{};
  if (is_settled_ && has_directory == has_directory_ && changed_at == changed_at_) return false;
  auto read = read_folder(path_);
  if (!read) return false;
  has_directory_ = has_directory;
  changed_at_ = changed_at;
  is_settled_ = now - changed_at > kTick;
  if (*read == set_) return false;
  set_ = std::move(*read);
  return true;
}

}  // namespace filecall::spool
