// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "client/store/request_row.h"
#include "client/store/sqlite.h"

namespace filecall::client {

/// The columns of table `requests` in the order that read_row() and kPutRow use.
extern const std::string_view kRowColumns;
extern const std::string_view kPutRow;

RequestRow read_row(const Statement& statement);
Result<void> write_row(Statement& put, const RequestRow& row);

}  // namespace filecall::client
