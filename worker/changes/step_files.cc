// SPDX-License-Identifier: MIT
#include "worker/changes/step_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>

#include "base/check.h"
#include "os/regular_file.h"

namespace filecall::worker::changes {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;

/// SHA-256 of what comes in parts.
class Digest {
 public:
  Digest() : context_(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free) {
    CHECK(::EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
          "SHA-256 is always there");
  }
  void add(std::string_view bytes) {
    CHECK(::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
          "SHA-256 takes any bytes");
    mark_.bytes += bytes.size();
  }
  ContentMark end() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    CHECK(::EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1, "SHA-256 has an end");
    for (unsigned i = 0; i < size; ++i) mark_.sha256 += fmt::format("{:02x}", digest[i]);
    return mark_;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context_;
  ContentMark mark_;
};

/// The mark of an open file; nullopt: it cannot be read.
std::optional<ContentMark> mark_of_file(int fd) {
  Digest digest;
  std::string chunk(kChunkBytes, '\0');
  for (;;) {
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return digest.end();
    digest.add({chunk.data(), static_cast<std::size_t>(count)});
  }
}

Unexpected<Error> act_failure(int error, const ChangeStep& step) {
  if (error == EINVAL || error == ENOSYS || error == ENOTSUP) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its file system cannot exchange two names (renameat2(2)); change "
                            "it with file.edit",
                            step.shown));
  }
  if (error == EEXIST || error == ENOENT) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: somebody else changes it at this moment", step.shown));
  }
  return fail_errno(error, step.shown);
}

}  // namespace

ContentMark mark_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.end();
}

Holds look_at(int directory, const std::string& name, const ChangeStep& step) {
  const auto file = open_regular_file_at(directory, name, O_RDONLY, step.directory);
  if (!file) {
    switch (file.error().code) {
      case ErrorCode::kNotFound:
        return Holds::kNothing;
      case ErrorCode::kFailedPrecondition:  // A link, a directory, a FIFO.
        return Holds::kOther;
      default:
        return Holds::kUnknown;
    }
  }
  // Most of what is another content has another size.
  const auto bytes = static_cast<std::uint64_t>(file->info.st_size);
  const bool may_be_old = !step.before.sha256.empty() && bytes == step.before.bytes;
  const bool may_be_new = !step.after.sha256.empty() && bytes == step.after.bytes;
  if (!may_be_old && !may_be_new) return Holds::kOther;
  const auto mark = mark_of_file(file->fd.get());
  if (!mark) return Holds::kUnknown;
  if (*mark == step.before) return Holds::kOld;
  return *mark == step.after ? Holds::kNew : Holds::kOther;
}

StepState state_of(int directory, const ChangeStep& step) {
  if (step.kind == StepKind::kWatch) {
    const Holds name = look_at(directory, step.name, step);
    const bool is_as_before = name == Holds::kNothing && step.before.sha256.empty();
    return {is_as_before ? Holds::kOld : name, Holds::kNothing};
  }
  return {look_at(directory, step.name, step), look_at(directory, step.aside, step)};
}

void drop_second_name(int directory, const ChangeStep& step) {
  if (step.kind != StepKind::kCreate) return;
  struct stat name {};
  struct stat aside {};
  const auto look = [directory](const std::string& path, struct stat& info) {
    return ::fstatat(directory, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  };
  if (!look(step.name, name) || !look(step.aside, aside)) return;
  if (name.st_dev != aside.st_dev || name.st_ino != aside.st_ino) return;
  ::unlinkat(directory, step.aside.c_str(), 0);
}

Result<void> perform_act(int directory, const ChangeStep& step, StepAct act) {
  const char* name = step.name.c_str();
  const char* aside = step.aside.c_str();
  int status = 0;
  switch (act) {
    case StepAct::kNone:
    case StepAct::kImpossible:
      return {};
    case StepAct::kDrop:
      status = ::unlinkat(directory, aside, 0);
      break;
    case StepAct::kExchange:
      status = ::renameat2(directory, aside, directory, name, RENAME_EXCHANGE);
      break;
    case StepAct::kReveal:
      status = ::renameat2(directory, aside, directory, name, RENAME_NOREPLACE);
      break;
    case StepAct::kWithdraw:
      status = ::renameat2(directory, name, directory, aside, RENAME_NOREPLACE);
      break;
  }
  if (status != 0) return act_failure(errno, step);
  return {};
}

Result<void> sync_entries(int directory, std::string_view shown) {
  const UniqueFd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open() || ::fsync(fd.get()) != 0) return fail_errno(errno, shown);
  return {};
}

Result<UniqueFd> open_directory(const std::string& path) {
  struct open_how how {};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (!fd.is_open()) return fail_errno(errno, path);
  return fd;
}

}  // namespace filecall::worker::changes
