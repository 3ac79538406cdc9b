// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "worker/exec/cancel_target.h"

namespace filecall::worker {

/// The files of a root, as far as commands about requests need them. Loop thread only.
class RootFiles {
 public:
  virtual ~RootFiles() = default;

  /// Several users drop requests there: each may end and repeat only its own.
  virtual bool is_shared() const = 0;
  /// The user whom the root belongs to, and who may do all of that.
  virtual std::uint32_t ruler() const = 0;
  /// Who dropped the request that is there now; nullopt: there is none.
  virtual std::optional<std::uint32_t> owner_of(std::string_view stem) const = 0;
  /// Takes a response away, so that its request is pending again.
  virtual DiscardResult discard(std::string_view stem, const ResponseFile& response) = 0;
};

}  // namespace filecall::worker
