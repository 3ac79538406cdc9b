// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/check.h"
#include "os/io.h"
#include "os/regular_file.h"

/// Where targets that need files have them.
namespace filecall::fuzz {

/// A directory in memory, emptied for each input and removed at the end. Beside what a program is
/// given lies a file that it must never touch.
class Place {
 public:
  Place() {
    std::string pattern =
        std::filesystem::exists("/dev/shm") ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX";
    CHECK(::mkdtemp(pattern.data()) != nullptr, "a target needs a directory");
    path_ = pattern;
  }
  ~Place() { std::filesystem::remove_all(path_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// What a program may work in.
  std::string inside() const { return path_ + "/inside"; }
  /// What lies beside it.
  std::string outside() const { return path_ + "/outside"; }

  void clear() {
    std::filesystem::remove_all(inside());
    std::filesystem::create_directory(inside());
    std::filesystem::permissions(inside(), std::filesystem::perms::owner_all);
    write(outside(), kOutside);
  }
  /// Whether nothing beside the directory was made, changed or removed.
  bool is_outside_untouched() const {
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++entries;
    const auto bytes = read_file(outside(), 4096);
    return entries == 2 && bytes && *bytes == kOutside;
  }

  /// Nothing when something else than a file is there.
  static void write(const std::string& path, std::string_view bytes) {
    const auto fd = open_regular(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd) CHECK(write_all(fd->get(), bytes, path), "memory can be written");
  }

 private:
  static constexpr std::string_view kOutside = "{\"request_id\": \"outside\"}\n";
  std::string path_;
};

}  // namespace filecall::fuzz
