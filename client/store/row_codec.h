// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/store/request_row.h"
#include "client/store/sqlite.h"

namespace filecall::client {

/// The columns of table `requests` in the order that read_row() and write_row() use.
extern const std::string_view kRowColumns;
enum class OnConflict : std::uint8_t { kReplace, kKeep };
/// The statement that write_row() fills.
std::string put_statement(OnConflict on_conflict);

RequestRow read_row(const Statement& statement);
Result<void> write_row(Statement& put, const RequestRow& row);

}  // namespace filecall::client
