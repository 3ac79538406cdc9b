// SPDX-License-Identifier: MIT
#include "worker/exec/llm/local_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/llm/listener_owner.h"
#include "worker/exec/llm/provider.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kListBytesMax = 4 * 1024 * 1024;

}  // namespace

std::vector<std::string> model_ids(const std::string& body) {
  std::vector<std::string> ids;
  const auto json = parse_foreign(body);
  if (!json) return ids;
  const Json& list = member(*json, "data");
  if (!list.is_array()) return ids;
  for (const Json& model : list) {
    if (std::string id = text_member(model, "id"); !id.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

class LocalSearch::Probe final : public HttpHandler {
 public:
  Probe(LocalSearch& search, const LocalServer& server) : search_(search), server_(server) {
    HttpRequest request;
    request.method = "GET";
    request.url = join_url(server.base_url, "/models");
    request.timeouts = {milliseconds(500), seconds(2), seconds(2), seconds(2)};
    request.body_bytes_max = kListBytesMax;
    transfer_ = search.http_.start(std::move(request), *this);
  }

  void on_head(int, const HttpHeaders&) override {}
  bool on_body(std::string_view bytes) override {
    body_ += bytes;
    return true;
  }
  void on_done(const HttpResult& result) override {
    is_ended = true;
    if (result.end == HttpEnd::kComplete && result.status == 200) {
      const auto ids = model_ids(body_);
      if (!ids.empty()) found = FoundServer{server_, ids.front()};
    }
    search_.on_probe_end();
  }

  bool is_ended = false;
  std::optional<FoundServer> found;

 private:
  LocalSearch& search_;
  LocalServer server_;
  std::string body_;
  std::unique_ptr<HttpTransfer> transfer_;
};

LocalSearch::LocalSearch(HttpClient& http) : http_(http) {}

LocalSearch::~LocalSearch() = default;

void LocalSearch::find(std::function<void(const FoundServer*)> then) {
  waiting_.push_back(std::move(then));
  if (!probes_.empty()) return;
  ended_.clear();
  for (const LocalServer& server : local_servers()) {
    probes_.push_back(std::make_unique<Probe>(*this, server));
  }
}

void LocalSearch::on_probe_end() {
  const bool all_ended = std::all_of(probes_.begin(), probes_.end(),
                                     [](const auto& probe) { return probe->is_ended; });
  if (!all_ended) return;
  // One of them is calling: they are destroyed by the next search.
  ended_ = std::exchange(probes_, {});
  left_out_.clear();
  const auto found = std::find_if(ended_.begin(), ended_.end(), [this](const auto& probe) {
    if (!probe->found) return false;
    const std::string distrust = distrust_of_listener(probe->found->server.base_url);
    if (!distrust.empty()) left_out_ += (left_out_.empty() ? "" : "; ") + distrust;
    return distrust.empty();
  });
  // A copy: the callee may search again, which destroys the probes.
  const std::optional<FoundServer> server = found == ended_.end() ? std::nullopt : (*found)->found;
  for (const auto& then : std::exchange(waiting_, {})) then(server ? &*server : nullptr);
}

}  // namespace filecall::worker::llm
