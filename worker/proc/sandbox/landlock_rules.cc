// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/landlock_rules.h"

#include "worker/proc/sandbox/mount_plan.h"

namespace filecall::worker::guard {
namespace {

constexpr std::uint64_t kRead = kExecute | kReadFile | kReadDirectory;
constexpr std::uint64_t kBindTcp = 1, kConnectTcp = 2, kBindUdp = 4, kSendUdp = 8;
constexpr std::uint64_t kAbstractSockets = 1, kSignals = 2;
constexpr std::uint64_t kDevice = kReadFile | kWriteFile | kTruncate | kDeviceControl;

}  // namespace

std::uint64_t known_file_rights(int abi) {
  std::uint64_t rights = kRefer - 1;  // Version 1: everything before it.
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kDeviceControl;
  if (abi >= 9) rights |= kResolveUnix;
  return rights;
}

std::uint64_t known_network_rights(int abi) {
  if (abi >= 10) return kBindTcp | kConnectTcp | kBindUdp | kSendUdp;
  return abi >= 4 ? kBindTcp | kConnectTcp : 0;
}

LandlockRules make_landlock_rules(const SandboxOptions& options, int abi) {
  const std::uint64_t everything = known_file_rights(abi);
  LandlockRules result;
  result.files = everything;
  if (!options.network) result.network = known_network_rights(abi);
  if (abi >= 6) result.scopes = kAbstractSockets | kSignals;
  const auto add = [&](const std::string& path, std::uint64_t access, bool follows_links = false) {
    result.rules.push_back({path, access & everything, follows_links});
  };
  if (options.uses(kNamespaces)) {
    add("/", kRead);
    add("/dev", kRead | kDevice);
    add("/tmp", everything);
    add("/dev/shm", everything);
  } else {
    for (const std::string& path : system_paths()) add(path, kRead, true);
    for (const std::string& path : device_paths()) add(path, kDevice, true);
    add("/proc", kRead);
    for (const std::string& path : options.readable) add(path, kRead);
  }
  for (const std::string& path : options.roots) {
    add(path, options.level == Level::kWorkspaceWrite ? everything : kRead);
  }
  return result;
}

}  // namespace filecall::worker::guard
