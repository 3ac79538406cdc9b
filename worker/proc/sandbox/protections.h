// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// What a machine can give to a confined program. Worker, guard and probe speak of it by these.
namespace filecall::worker::guard {

enum class Level : std::uint8_t { kNone, kReadOnly, kWorkspaceWrite };

enum Protection : std::uint32_t {
  kNamespaces = 1,  ///< Own file tree, processes, IPC objects and host name.
  kProc = 2,        ///< An own /proc; without it the program sees none.
  kNoNetwork = 4,   ///< An empty network namespace.
  kLandlock = 8,
  kScopes = 16,  ///< Landlock keeps abstract Unix sockets of others away (ABI 6).
  kSeccomp = 32,
};
inline constexpr std::uint32_t kAllProtections = 63;

/// A row for each protection, for texts.
struct ProtectionText {
  Protection bit;
  const char* name;
  const char* loss;    ///< What is not kept without it.
  const char* advice;  ///< What gives it.
};
inline constexpr ProtectionText kProtectionTexts[] = {
    {kNamespaces, "namespaces",
     "other files' names and attributes, the worker's own files beneath tool.roots, protected "
     "names, /tmp and other processes are not shut off",
     "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
     "kernel.apparmor_restrict_unprivileged_userns) or run the worker where mount(2) is allowed"},
    {kProc, "proc", "tools see no /proc, and some do not start without it",
     "run the container with an unmasked /proc (--security-opt systempaths=unconfined)"},
    {kNoNetwork, "network-namespace",
     "only system call filters keep tools off the network; Unix sockets in the abstract name space "
     "stay reachable",
     "allow network namespaces (sysctl user.max_net_namespaces)"},
    {kLandlock, "landlock", "the second lock on files is missing",
     "boot a kernel >= 5.13 with lsm=landlock,..."},
    {kScopes, "landlock-scopes",
     "with tool.network true, Unix sockets in the abstract name space stay reachable",
     "boot a kernel >= 6.12 with lsm=landlock,..., or set tool.network to false"},
    {kSeccomp, "seccomp", "dangerous system calls are not refused",
     "boot a kernel with CONFIG_SECCOMP_FILTER"},
};

/// The protections that a configuration is about.
constexpr std::uint32_t wanted_protections(Level level, bool network) {
  if (level == Level::kNone) return network ? 0 : kNoNetwork | kSeccomp;
  return kNamespaces | kProc | kLandlock | kSeccomp | (network ? kScopes : kNoNetwork);
}

}  // namespace filecall::worker::guard
