// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// A table of a server (meta.k8s.io Table) as an answer shows it: the columns that kubectl shows
/// without -o wide, each row a list of cells.
struct TableRows {
  Json columns = Json::array();
  Json rows = Json::array();
};

/// `has_namespaces`: the namespace stands first in each row. A cell that is not there is null.
/// Pure.
TableRows table_rows(const Json& table, bool has_namespaces);

/// Writes "3 (5d4h ago)", as newer servers say in the column Restarts of pods, as 3 and, in a
/// column "Last Restart" of its own, "5d4h"; null where there was none. Every cell of the column
/// must have one of the two forms, or all stays as it is. Pure.
void split_restarts(TableRows& table);

/// Takes out columns that have the same cell in all rows, but those of names: {"Status":
/// "Running"}. Nothing of a table of fewer rows than `rows_min`, where it would not save much.
/// Pure.
Json take_equal_columns(TableRows& table, std::size_t rows_min = 8);

}  // namespace filecall::worker::kube
