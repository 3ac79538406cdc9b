// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/kubeconfig_document.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {

Result<Json> read_kubeconfig_text(const std::string& yaml, const std::string& file) {
  auto documents = read_yaml(yaml);
  if (!documents) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("kubeconfig {}: {}", file, documents.error().message));
  }
  // client-go reads the first one.
  if (documents->empty()) return Json::object();
  return std::move(documents->front());
}

}  // namespace filecall::worker::kube
