// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace filecall {

/// Where and how a value breaks its schema; the first violation in document order.
struct SchemaViolation {
  std::string pointer;  ///< JSON pointer (RFC 6901) into the checked value; "" is the whole.
  std::string rule;     ///< For people, e.g. "'argv' must have at least 1 element".
};

}  // namespace filecall
