// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "client/store/request_row.h"
#include "client/store/sqlite.h"

namespace filecall::client {

/// The columns of table `requests` in the order that read_row() and bind_row() use.
extern const std::string_view kRowColumns;
inline constexpr int kRowColumnCount = 31;

RequestRow read_row(const Statement& statement);
/// Binds the parameters after the first `before`. The row must stay alive until the statement is
/// reset.
void bind_row(Statement& put, int before, const RequestRow& row);

}  // namespace filecall::client
