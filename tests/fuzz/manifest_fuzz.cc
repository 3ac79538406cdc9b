// SPDX-License-Identifier: MIT
// YAML of Kubernetes' objects. Any text is a list of documents within its limits or has a mistake
// with a place; what is read can be written as JSON and is read again as the same; the write that
// is made of it keeps the identity that was asked for.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/write_plan.h"
#include "worker/exec/kube/model/yaml_reader.h"

namespace {

using namespace filecall;
namespace kube = filecall::worker::kube;

const kube::YamlLimits kLimits{.bytes_max = 64 * 1024, .depth_max = 100, .values_max = 20'000};

using Strategies = std::initializer_list<kube::WriteStrategy>;
constexpr Strategies kOfManifests = {kube::WriteStrategy::kCreate, kube::WriteStrategy::kApply};
/// What a request hands over as it is.
constexpr Strategies kOfPatches = {kube::WriteStrategy::kMerge, kube::WriteStrategy::kJson,
                                   kube::WriteStrategy::kDelete};

void check_write(const Json& body, Strategies strategies) {
  for (const auto strategy : strategies) {
    const auto plan = kube::plan_write(strategy, body, {"u", "7"}, {});
    if (!plan) {
      CHECK(is_valid_utf8(plan.error().message), "a refusal can be sent");
      continue;
    }
    CHECK(is_valid_utf8(plan->body_text(true)) && is_valid_utf8(plan->body_text(false)),
          "a body can be sent");
  }
}

void check_manifest(const Json& values, std::optional<std::string_view> yaml) {
  const kube::ObjectIdentity identity{"apps/v1", "Deployment", "shop", "prod"};
  const auto built = kube::build_manifest(identity, values, yaml);
  if (!built) {
    CHECK(!built.error().message.empty() && is_valid_utf8(built.error().message),
          "a refusal can be sent");
    return;
  }
  const Json& manifest = built->manifest;
  CHECK(manifest.at("kind") == "Deployment" && manifest.at("apiVersion") == "apps/v1" &&
            manifest.at("metadata").at("name") == "shop" &&
            manifest.at("metadata").at("namespace") == "prod",
        "the identity wins");
  CHECK(!manifest.contains("status"), "a status is not written");
  check_write(manifest, kOfManifests);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = kube::read_yaml(text, kLimits);
  check_manifest(nullptr, text);
  if (!documents) {
    CHECK(is_valid_utf8(documents.error().message), "a mistake can be sent");
    return 0;
  }
  for (const Json& document : *documents) {
    const std::string json = dump_json(document);
    CHECK(is_valid_utf8(json), "what was read can be sent");
    const auto again = parse_strict(json, limits::kDepth, Strictness::kRequest, "document");
    // Requests may not hold some characters that quotes of YAML can write.
    CHECK(!again || *again == document, "and says the same as JSON");
    check_manifest(document, std::nullopt);
    check_write(document, kOfPatches);
  }
  return 0;
}
