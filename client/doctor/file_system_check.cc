// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>

#include "client/doctor/checks.h"

namespace filecall::client {
namespace {

struct KnownType {
  unsigned long type;
  const char* name;
  const char* advice;  ///< Empty: nothing to say.
};

constexpr const char* kRemote =
    "events of other machines do not arrive, so both programs poll; locks and renames are only as "
    "good as the server. Better put the root on a local disk";

// The numbers are in linux/magic.h and, for some file systems, only in their own sources.
constexpr KnownType kTypes[] = {
    {0xEF53, "ext4", ""},
    {0x58465342, "xfs", ""},
    {0x9123683E, "btrfs", ""},
    {0x2FC12FC1, "zfs", ""},
    {0xF2F52010, "f2fs", ""},
    {0x01021994, "tmpfs",
     "everything is lost at a reboot; put the root on a disk, or use --durability none, since "
     "syncs promise nothing here"},
    {0x858458F6, "ramfs", "everything is lost at a reboot; put the root on a disk"},
    {0x6969, "nfs", kRemote},
    {0xFF534D42, "cifs", kRemote},
    {0xFE534D42, "smb2", kRemote},
    {0x01021997, "9p", kRemote},
    {0x65735546, "fuse",
     "events may not arrive and syncs may promise little; better put the root "
     "on a local disk"},
    {0x794C7630, "overlay",
     "this is a container's own layer: it is lost with the container. Mount a volume for the root"},
    {0x4D44, "fat", "names lose their case and renames are not safe; put the root elsewhere"},
};

const KnownType* find_type(long type) {
  for (const KnownType& known : kTypes) {
    if (known.type == (static_cast<unsigned long>(type) & 0xFFFFFFFFUL)) return &known;
  }
  return nullptr;
}

}  // namespace

std::string file_system_name(long type) {
  const KnownType* known = find_type(type);
  return known != nullptr ? known->name : fmt::format("0x{:x}", static_cast<unsigned long>(type));
}

void check_file_system(const spool::Layout& layout, Findings& findings) {
  struct statfs info {};
  if (::statfs(layout.root().c_str(), &info) != 0) {
    findings.push_back({Severity::kProblem, "file system",
                        fmt::format("{}: {}", layout.root(), strerror(errno)),
                        "mount it again, or name another root"});
    return;
  }
  const KnownType* known = find_type(static_cast<long>(info.f_type));
  const std::string advice = known != nullptr ? known->advice : "";
  findings.push_back({advice.empty() ? Severity::kGood : Severity::kNote, "file system",
                      file_system_name(static_cast<long>(info.f_type)), advice});

  struct stat responses {};
  struct stat worker {};
  if (::stat(layout.responses().c_str(), &responses) == 0 &&
      ::stat(layout.worker().c_str(), &worker) == 0 && responses.st_dev != worker.st_dev) {
    findings.push_back({Severity::kNote, "file system",
                        "responses/ and worker/ are on different file systems",
                        "put them on one: responses are then published with fewer events"});
  }
}

}  // namespace filecall::client
