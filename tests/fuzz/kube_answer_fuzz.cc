// SPDX-License-Identifier: MIT
// What a Kubernetes API server answers: objects, lists, discovery, errors, logs. The first byte
// says which status it has and which kind was asked for. Whatever came is shown within limits, in
// valid UTF-8, and without the token that was sent.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_error.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/api_reply.h"
#include "worker/exec/kube/client/discovery_document.h"
#include "worker/exec/kube/model/impact.h"
#include "worker/exec/kube/model/log_text.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/sanitize.h"

namespace {

using namespace filecall;
namespace kube = filecall::worker::kube;

constexpr std::string_view kToken = "t0ken-0f-the-request-0123456789";
const kube::DigestKey kKey{};
const kube::ObjectKind kKinds[] = {{"", "Secret"},
                                   {"", "ConfigMap"},
                                   {"", "Pod"},
                                   {"apps", "Deployment"},
                                   {"networking.istio.io", "VirtualService"},
                                   {"", "Service"},
                                   {"", "Event"}};

kube::Redactor redactor() {
  kube::Redactor out(kKey);
  out.learn_value(kToken);
  return out;
}

void check_shown(const Json& object) {
  const auto shown = kube::sanitize(object);
  CHECK(dump_json(shown.manifest).size() <= kube::SanitizeLimits{}.bytes_max, "it fits");
  CHECK(shown.cut.is_array() && shown.cut.size() <= 100, "what was cut is told shortly");
  const Json diff = kube::diff_objects(object, shown.manifest);
  CHECK(diff.at("changes").size() <= kube::DiffLimits{}.changes_max, "a diff is bounded");
  CHECK(kube::diff_objects(object, object).at("changes").empty(), "nothing differs from itself");
}

void check_objects(const Json& body, const kube::ObjectKind& kind) {
  kube::ObjectGraph graph(kube::ReferenceTable::builtin());
  graph.add(kind, body);
  const Json& items = worker::member(body, "items");
  for (std::size_t i = 0; items.is_array() && i < items.size() && i < 50; ++i) {
    graph.add(kKinds[i % std::size(kKinds)], items[i]);
  }
  graph.link();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Json impact = kube::analyze_impact(graph, i, {});
    CHECK(impact.contains("severity"), "an impact has a severity");
    (void)kube::references_json(graph.at(i).references);
  }
}

void check_discovery(const Json& body) {
  auto page = kube::read_discovery_page(body);
  auto resources = kube::read_resource_list(body, "/apis/apps/v1");
  if (page) resources.insert(resources.end(), page->resources.begin(), page->resources.end());
  const kube::ResourceTable table(std::move(resources),
                                  page ? page->failed : decltype(page->failed){});
  for (const kube::Resource& resource : table.resources()) {
    const auto found = table.find(resource.qualified_name(), resource.api_version());
    CHECK(!std::holds_alternative<kube::UnservedVersion>(found), "what is served is served");
    (void)kube::collection_path(resource, "default");
  }
  const auto kept = kube::resources_from_json(kube::resources_to_json(table));
  CHECK(kept.has_value(), "what is kept is read again");
  const kube::ResourceTable again(kept->resources, kept->failed);
  CHECK(again.resources() == table.resources(), "as it was");
}

void check_failure(int status, const Json& object, std::string_view body) {
  kube::ApiProblem problem;
  problem.http_status = status;
  problem.status = object;
  problem.body_text = redactor().scrub(body);
  const Failure failure = kube::failure_of(problem);
  CHECK(!failure.message.empty(), "a failure has a message");
  CHECK(failure.message.size() < 16 * 1024, "which is short");
}

void check_text(std::string_view text) {
  CHECK(redactor().scrub(text).find(kToken) == std::string::npos, "the token is not shown");
  const std::string log = kube::readable_log(text);
  CHECK(is_valid_utf8(log), "a log can be sent");
  const auto tail = kube::last_lines(log, 100);
  CHECK(tail.text.size() <= 100 && tail.text.size() + tail.left_out_bytes == log.size(),
        "the end of a log is its end");
  (void)kube::warning_text(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const kube::ObjectKind& asked = kKinds[data[0] % std::size(kKinds)];
  constexpr int kStatuses[] = {200, 404, 409, 410, 422, 429, 500};
  const int status = kStatuses[data[0] / std::size(kKinds) % std::size(kStatuses)];
  check_text(body);
  if (const auto json = worker::parse_foreign(body)) check_discovery(*json);
  kube::ApiReply reply(status, "application/json", body, asked, redactor());
  CHECK(reply.log().find(kToken) == std::string::npos, "nor in a log, whatever parts it there");
  const Json& object = reply.object();
  check_failure(status, object, body);
  if (object.is_null()) return 0;
  CHECK(is_valid_utf8(dump_json(object)), "an answer can be sent");
  check_shown(object);
  check_objects(object, asked);
  return 0;
}
