// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::spool {

/// What people have paused in a root. Each is a file in `paused/`, whose name says all that counts:
/// `root`, `destination.NAME`, `batch.NAME`. In NAME each byte but letters, digits, `.`, `_` and
/// `-` is written as %XX, and no other byte. What it holds is for people.
struct PauseSet {
  bool everything = false;  ///< All that the worker would start for this root.
  std::set<std::string, std::less<>> destinations;  ///< Or commands; the worker's.
  std::set<std::string, std::less<>> batches;       ///< The client's, who drives them.

  /// Something that the worker holds back.
  bool holds_worker() const { return everything || !destinations.empty(); }
  bool operator==(const PauseSet&) const = default;
};

/// So many are named where all may be too many: in a status, a log, a message.
inline constexpr std::size_t kNamedPausesMax = 20;

/// The pauses that a worker respects, for its status and its log, however many files there are.
struct HeldNames {
  std::vector<std::string> first;  ///< "root" before all others, which are in order.
  std::size_t count = 0;           ///< Of all.
};
/// At most `limit` names. Pure.
HeldNames held_names(const PauseSet& set, std::size_t limit);
/// "root tool, and 3 more", or "nothing". Pure.
std::string held_text(const HeldNames& names);

enum class PauseKind : std::uint8_t { kRoot, kDestination, kBatch };

/// The file's name; `name` is empty for the root. Pure.
std::string pause_file_name(PauseKind kind, std::string_view name);
/// Adds what a file's name says. Names that pause_file_name() does not make say nothing. Pure.
void add_pause(std::string_view file_name, PauseSet& set);

/// What is there now. No directory: nothing is paused. Blocking, and short.
Result<PauseSet> read_pauses(const Layout& layout);
/// `about` becomes the file's content. An earlier pause of the same name is replaced. The first
/// one makes the directory.
Result<void> write_pause(const Layout& layout, PauseKind kind, std::string_view name,
                         const Json& about);
/// False: it was not paused.
Result<bool> remove_pause(const Layout& layout, PauseKind kind, std::string_view name);

/// Reads the pauses again when the directory has changed. One thread.
class PauseLook {
 public:
  explicit PauseLook(const Layout& layout) : path_(layout.paused()) {}

  /// Whether the set is another one than at the last call. What cannot be read changes nothing.
  bool refresh(WallTime now);
  const PauseSet& set() const { return set_; }
  /// Another one: something was written or removed, even if the set is what it was.
  WallTime changed_at() const { return changed_at_; }

 private:
  std::string path_;
  PauseSet set_;
  WallTime changed_at_{};    ///< The directory's, when it was read.
  bool is_settled_ = false;  ///< Read so long after its change that no other one can hide in it.
  bool has_directory_ = false;
};

}  // namespace filecall::spool
