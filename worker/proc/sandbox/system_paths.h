// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace filecall::worker::guard {

/// Files of the host that every program may read: programs, libraries, and the part of /etc that
/// holds no secrets. Links among them are followed, or kept when they lead to /usr.
inline const std::vector<std::string>& system_paths() {
  static const std::vector<std::string> kPaths = {
      "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/gnu/store", "/nix/store",
      // What programs need to start and to find names, certificates, time zones and fonts. Each
      // costs some microseconds a run: tool.readable adds what only some need.
      "/etc/alternatives", "/etc/crypto-policies", "/etc/fonts", "/etc/gitconfig", "/etc/group",
      "/etc/hosts", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf",
      "/etc/os-release", "/etc/passwd", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/protocols",
      "/etc/resolv.conf", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
      "/etc/timezone"};
  return kPaths;
}

}  // namespace filecall::worker::guard
