// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/credential_names.h"

namespace filecall::worker::kube {

/// Which values of an object are secret by their place in it, for the pass that learns them and the
/// pass that takes them out. Pure.

/// Whether the value is a text under a credential's name, and not only says where the credential
/// is.
bool is_hidden_member(std::string_view key, const Json& value, NamePlace place);
/// The value of a named pair ({"name", "value"}: an environment variable, a header) to be hidden;
/// null when the object is none. A programmer error for anything that is no object.
const Json* hidden_pair_value(const Json& object);
/// Bytes that a value of a Secret stands for: `data` is base64, `stringData` is plain.
std::string secret_bytes(const Json& value, bool is_encoded);

/// Columns of a table of objects that have a credential's name; none when the body is no table. A
/// column "Secret" names one, as an annotation does.
std::vector<std::size_t> hidden_columns(const Json& body);
/// Calls `visit` with each text that stands in such a column.
template <typename Body, typename Visit>
void for_each_hidden_cell(Body& body, Visit visit) {
  const std::vector<std::size_t> columns = hidden_columns(body);
  const auto rows = body.find("rows");
  if (columns.empty() || rows == body.end() || !rows->is_array()) return;
  for (auto& row : *rows) {
    const auto cells = row.is_object() ? row.find("cells") : row.end();
    if (cells == row.end() || !cells->is_array()) continue;
    for (const std::size_t column : columns) {
      if (column >= cells->size()) continue;
      auto& cell = (*cells)[column];
      if (cell.is_string() && cell != "" && cell != "<none>") visit(cell);
    }
  }
}

}  // namespace filecall::worker::kube
