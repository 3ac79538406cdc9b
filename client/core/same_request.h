// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall::client {

/// Whether two request files ask for the same: the same bytes, or JSON texts that differ only in
/// white space, the order of members, the spelling of values, `metadata`, which lies beside what is
/// asked (names, labels and columns may be corrected), or `priority`, which says when it is asked.
/// A pure function; any thread.
bool is_same_request(std::string_view a, std::string_view b);

}  // namespace filecall::client
