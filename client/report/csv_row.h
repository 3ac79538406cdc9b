// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "client/core/request_state.h"

namespace filecall::client {

/// One field of RFC 4180: quoted when it must be.
std::string csv_field(std::string_view text);
/// The line of column names, and the line of one outcome. Pure.
std::string csv_header();
std::string csv_row(const RequestOutcome& outcome);

}  // namespace filecall::client
