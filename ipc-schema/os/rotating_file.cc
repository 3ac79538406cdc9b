// SPDX-License-Identifier: MIT
#include "os/rotating_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os/io.h"
#include "os/regular_file.h"

namespace filecall {

Result<RotatingFile> RotatingFile::open(const std::string& path, std::size_t bytes_max,
                                        std::size_t files) {
  RotatingFile out;
  const std::size_t slash = path.rfind('/');
  out.name_ = path.substr(slash + 1);
  out.directory_path_ = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  out.bytes_max_ = bytes_max;
  out.files_ = files;
  out.directory_ =
      UniqueFd(::open(out.directory_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!out.directory_.is_open()) return fail_errno(errno, out.directory_path_);
  TRY(out.open_current());
  return out;
}

Result<void> RotatingFile::open_current() {
  TRY_ASSIGN(RegularFile file,
             open_regular_file_at(directory_.get(), name_, O_WRONLY | O_CREAT | O_APPEND,
                                  directory_path_));
  file_ = std::move(file.fd);
  size_ = static_cast<std::uint64_t>(file.info.st_size);
  return {};
}

std::string RotatingFile::old_name(std::string_view name, std::size_t number) {
  if (number == 0) return std::string(name);
  const std::size_t dot = name.rfind('.');
  // ".log" has no extension.
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) {
    return fmt::format("{}.{}", name, number);
  }
  return fmt::format("{}.{}{}", name.substr(0, dot), number, name.substr(dot));
}

void RotatingFile::rotate() {
  if (files_ == 0) {
    if (::ftruncate(file_.get(), 0) == 0) size_ = 0;
    return;
  }
  for (std::size_t number = files_; number > 0; --number) {
    const std::string from = old_name(name_, number - 1);
    const std::string to = old_name(name_, number);
    const int done = ::renameat(directory_.get(), from.c_str(), directory_.get(), to.c_str());
    // A gap is none: there were fewer until now. Nothing newer may take the place of what stays.
    if (done != 0 && errno != ENOENT) return;
  }
  // Else the lines go on into what was the newest of the old ones.
  (void)open_current();
}

Result<void> RotatingFile::append(std::string_view text) {
  if (size_ > 0 && size_ + text.size() > bytes_max_) rotate();
  TRY(write_all(file_.get(), text, name_));
  size_ += text.size();
  return {};
}

}  // namespace filecall
