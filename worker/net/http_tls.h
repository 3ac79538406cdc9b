// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "worker/net/secret.h"

namespace filecall::worker {

/// Whom an https request trusts and who it says it is. Everything is PEM text, not a file's name:
/// the maker of the request has read it. Two requests share a connection only when all of it is
/// equal. The default: the system's authorities, no certificate of our own.
struct HttpTls {
  std::string authorities;  ///< Replaces the system's; empty: the system's.
  std::string certificate;  ///< Ours, perhaps followed by its chain; empty: none.
  Secret key;               ///< Of `certificate`.
  /// The name that the peer must prove and that it is asked for (SNI), where it is not the URL's.
  std::string server_name;
  /// False: anybody may answer. For clusters whose configuration says so.
  bool is_verified = true;
};

}  // namespace filecall::worker
