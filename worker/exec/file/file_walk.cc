// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "os/io.h"

namespace filecall::worker::file {
namespace {

/// Entries that one walk looks at.
constexpr std::size_t kVisitedMax = 2'000'000;
constexpr std::size_t kIgnoreFileBytesMax = 1024 * 1024;
constexpr int kReadTries = 4;
/// Of all .gitignore files of a walk: a rule takes some hundred times its text in memory.
constexpr std::size_t kIgnoreBytesMax = 2 * 1024 * 1024;

/// The .gitignore of a directory, and those of the directories above it.
struct IgnoreChain {
  std::shared_ptr<const IgnoreChain> above;
  IgnoreRules rules;
  std::size_t skip = 0;  ///< Of a path's bytes, those up to this directory.
};
using IgnoreChainPtr = std::shared_ptr<const IgnoreChain>;

bool is_ignored(const IgnoreChain* chain, std::string_view path, bool is_directory) {
  for (; chain != nullptr; chain = chain->above.get()) {
    if (const auto said = chain->rules.decide(path.substr(chain->skip), is_directory)) {
      return *said;
    }
  }
  return false;
}

std::string joined(const std::string& directory, std::string_view name) {
  if (directory == ".") return std::string(name);
  return directory + "/" + std::string(name);
}

class Walk {
 public:
  Walk(const FileRules& rules, const OpenPlace& directory, const WalkOptions& options,
       const std::atomic<bool>& is_cancelled)
      : rules_(rules), directory_(directory), options_(options), is_cancelled_(is_cancelled) {}

  WalkResult run() {
    // Rules count from the root on: paths here are below the root, not below the directory.
    pending_.push_back({directory_.path, options_.uses_gitignore ? chain_above() : nullptr});
    while (!pending_.empty() && !is_cancelled_ && !result_.is_cut) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      visit(next);
    }
    std::ranges::sort(result_.entries, {}, &WalkEntry::path);
    return std::move(result_);
  }

 private:
  struct Pending {
    std::string path;  ///< Below the root.
    IgnoreChainPtr chain;
  };

  /// The path as the walk's caller sees it.
  std::string_view below_directory(std::string_view path) const {
    return directory_.path == "." ? path : path.substr(directory_.path.size() + 1);
  }

  UniqueFd open(const std::string& path, int flags) const {
    const std::string below = path == directory_.path ? "." : std::string(below_directory(path));
    return open_without_links(directory_.fd.get(), below, flags);
  }

  /// Where a repository begins, what the directories above it ignore does not count.
  static bool is_repository(int directory) {
    struct stat info {};
    return ::fstatat(directory, ".git", &info, AT_SYMLINK_NOFOLLOW) == 0;
  }

  IgnoreChainPtr with_rules_of(int directory, IgnoreChainPtr above, std::size_t skip) {
    if (above != nullptr && is_repository(directory)) above = nullptr;
    const UniqueFd file = open_without_links(directory, ".gitignore", O_RDONLY);
    if (!file.is_open()) return above;
    const auto text = read_all(file.get(), kIgnoreFileBytesMax, ".gitignore");
    if (!text || ignore_bytes_ + text->size() > kIgnoreBytesMax) {
      ++result_.unread_ignores;
      return above;
    }
    ignore_bytes_ += text->size();
    IgnoreRules rules(*text);
    if (!rules.is_whole()) ++result_.unread_ignores;
    if (rules.is_empty()) return above;
    return std::make_shared<const IgnoreChain>(
        IgnoreChain{std::move(above), std::move(rules), skip});
  }

  /// The rules of the directories from the root to above where the walk begins.
  IgnoreChainPtr chain_above() {
    IgnoreChainPtr chain;
    if (directory_.path == ".") return chain;
    const UniqueFd root(::open(directory_.root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root.is_open()) return chain;
    const std::string& path = directory_.path;
    for (std::size_t at = 0; at != path.npos; at = path.find('/', at + 1)) {
      const std::string above = at == 0 ? "." : path.substr(0, at);
      const UniqueFd fd = open_without_links(root.get(), above, O_RDONLY | O_DIRECTORY);
      if (fd.is_open()) chain = with_rules_of(fd.get(), std::move(chain), at == 0 ? 0 : at + 1);
    }
    return chain;
  }

  void visit(const Pending& pending) {
    UniqueFd fd = open(pending.path, O_RDONLY | O_DIRECTORY);
    if (!fd.is_open()) {
      const bool is_gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
      ++(is_gone ? result_.vanished : result_.unreadable);
      return;
    }
    if (is_own(fd.get())) return;
    IgnoreChainPtr chain = pending.chain;
    if (options_.uses_gitignore) {
      chain = with_rules_of(fd.get(), std::move(chain),
                            pending.path == "." ? 0 : pending.path.size() + 1);
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.get()), &::closedir);
    if (stream == nullptr) {
      ++result_.unreadable;
      return;
    }
    fd.release();
    for (const Entry& entry : entries_of(stream.get())) {
      if (is_cancelled_) return;
      if (++visited_ > kVisitedMax) {
        result_.is_cut = true;
        return;
      }
      take(pending.path, entry.name, entry.type, chain);
    }
  }

  struct Entry {
    std::string name;
    unsigned char type = DT_UNKNOWN;
  };

  /// What a directory holds; again when it changed meanwhile, since what is renamed then may be
  /// seen under neither name.
  std::vector<Entry> entries_of(DIR* stream) {
    std::vector<Entry> entries;
    for (int tries = 0; tries < kReadTries; ++tries) {
      entries.clear();
      ::rewinddir(stream);
      struct stat before {
      }, after{};
      const bool is_known = ::fstat(::dirfd(stream), &before) == 0;
      while (const dirent* entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (is_cancelled_ || visited_ + entries.size() > kVisitedMax) return entries;
        entries.push_back({std::string(name), type_of(*entry, ::dirfd(stream))});
      }
      const bool is_same = is_known && ::fstat(::dirfd(stream), &after) == 0 &&
                           before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                           before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
      if (is_same) return entries;
    }
    ++result_.vanished;
    return entries;
  }

  /// Whether it is the worker's own by another name, or the kernel's table of processes.
  bool is_own(int fd) const {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return false;
    if (rules_.is_own_file(info.st_dev, info.st_ino)) return true;
    struct statfs system {};
    return info.st_dev != directory_.info.st_dev && ::fstatfs(fd, &system) == 0 &&
           system.f_type == PROC_SUPER_MAGIC;
  }

  /// Some file systems do not say it beside the name.
  static unsigned char type_of(const dirent& entry, int directory) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type;
    struct stat info {};
    if (::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return static_cast<unsigned char>(IFTODT(info.st_mode));
  }

  void take(const std::string& directory, std::string_view name, unsigned char type,
            const IgnoreChainPtr& chain) {
    const std::string path = joined(directory, name);
    const bool is_directory = type == DT_DIR;
    if (rules_.hides_last(path, directory_.root_path)) return;
    if (options_.uses_gitignore &&
        (name == ".git" || is_ignored(chain.get(), path, is_directory))) {
      return;
    }
    if (!is_valid_utf8(name)) {
      ++result_.foreign_names;
      return;
    }
    if (is_directory && options_.is_recursive) pending_.push_back({path, chain});
    if (options_.takes_files_only && type != DT_REG) return;
    const std::string_view below = below_directory(path);
    if (options_.glob != nullptr && !options_.glob->matches(below)) return;
    result_.entries.push_back({std::string(below), type});
  }

  const FileRules& rules_;
  const OpenPlace& directory_;
  const WalkOptions& options_;
  const std::atomic<bool>& is_cancelled_;
  std::vector<Pending> pending_;
  std::size_t visited_ = 0;
  std::size_t ignore_bytes_ = 0;
  WalkResult result_;
};

}  // namespace

std::string WalkResult::problem() const {
  std::vector<std::string> parts;
  if (is_cut) parts.emplace_back("there are more entries than one request looks at");
  if (vanished > 0) {
    parts.push_back(fmt::format("{} changed, moved or removed while they were read",
                                vanished == 1 ? std::string("1 directory was")
                                              : fmt::format("{} directories were", vanished)));
  }
  if (unread_ignores > 0) {
    parts.push_back(
        fmt::format("too large to be read as a whole: {} of the .gitignore files, so "
                    "that what they name may be here",
                    unread_ignores));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

WalkResult walk(const FileRules& rules, const OpenPlace& directory, const WalkOptions& options,
                const std::atomic<bool>& is_cancelled) {
  return Walk(rules, directory, options, is_cancelled).run();
}

}  // namespace filecall::worker::file
