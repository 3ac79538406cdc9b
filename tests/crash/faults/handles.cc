// SPDX-License-Identifier: MIT
#include "handles.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "plan.h"

namespace faults::handles {
namespace {

// Beyond it a descriptor is not followed; no test opens so many.
constexpr std::size_t kDescriptorsMax = 1 << 16;
std::array<std::atomic<const std::string*>, kDescriptorsMax> g_paths;

bool fits(int fd) { return fd >= 0 && static_cast<std::size_t>(fd) < kDescriptorsMax; }

/// Where a directory lies that was opened by a call that is not seen (openat2(2)); empty: nowhere.
std::string place_of(int directory) {
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(directory);
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size() - 1);
  return size > 0 && target[0] == '/' ? target.data() : "";
}

std::string without_trailing(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::optional<std::string> resolve(int directory, const char* path) {
  if (path == nullptr) return {};
  std::string full;
  constexpr std::string_view kOwn = "/proc/self/fd/";
  if (std::string_view(path).starts_with(kOwn)) {
    const std::string* named = find(std::atoi(path + kOwn.size()));
    return named == nullptr ? std::nullopt : std::optional(*named);
  }
  if (path[0] == '/') {
    full = path;
  } else if (directory == AT_FDCWD) {
    std::array<char, PATH_MAX> here{};
    if (::getcwd(here.data(), here.size()) == nullptr) return {};
    full = std::string(here.data()) + "/" + path;
  } else {
    const std::string* base = find(directory);
    const std::string place = base == nullptr ? place_of(directory) : *base;
    if (place.empty()) return {};
    full = place + "/" + path;
  }
  full = without_trailing(std::move(full));
  if (full.ends_with("/.")) full.resize(full.size() - 2);
  if (!plan().covers(full)) return {};
  return full;
}

void remember(int fd, const std::string& path) {
  if (!fits(fd)) return;
  // The old string is leaked: another thread may be reading it, and a test's life is short.
  g_paths[static_cast<std::size_t>(fd)].store(new std::string(path));
}

void forget(int fd) {
  if (fits(fd)) g_paths[static_cast<std::size_t>(fd)].store(nullptr);
}

const std::string* find(int fd) {
  return fits(fd) ? g_paths[static_cast<std::size_t>(fd)].load() : nullptr;
}

}  // namespace faults::handles
