// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_contexts.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/context_list.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kContextRowsMax = 500;
constexpr std::size_t kContextChecksMax = 20;
constexpr int kContextChecksAtOnce = 4;
constexpr HttpTimeouts kCheckTimeouts{seconds(5), seconds(5), seconds(5), seconds(10)};

/// Asks the servers of some contexts, a few at a time.
class ContextsRun final : public Execution {
 public:
  ContextsRun(KubeService& service, Json data, std::function<void(Outcome)> done)
      : service_(service), data_(std::move(data)), done_(std::move(done)) {}

  void begin() {
    std::size_t unchecked = 0;
    const Json& rows = data_["contexts"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].contains("server")) continue;
      if (waiting_.size() < kContextChecksMax) {
        waiting_.push_back(i);
      } else {
        ++unchecked;
      }
    }
    if (unchecked > 0) {
      data_["unchecked"] = unchecked;
      data_["complete"] = false;
    }
    fill();
  }

  void cancel() override {
    if (!done_) return;
    calls_.clear();
    Failure failure;
    failure.code = ErrorCode::kCancelled;
    failure.message = "cancelled";
    std::exchange(done_, nullptr)(std::move(failure));  // May destroy this.
  }

 private:
  /// Answers when nothing is left. Nothing may follow a call of it.
  void fill() {
    is_filling_ = true;  // An answer may come before start() returns.
    while (in_flight_ < kContextChecksAtOnce && !waiting_.empty()) {
      const std::size_t index = waiting_.front();
      waiting_.pop_front();
      check(index);
    }
    is_filling_ = false;
    if (in_flight_ == 0 && waiting_.empty()) {
      std::exchange(done_, nullptr)(std::move(data_));  // May destroy this.
    }
  }

  void check(std::size_t index) {
    auto cluster = service_.choose(text_member(data_["contexts"][index], "name"));
    if (!cluster) {
      data_["contexts"][index]["problem"] = cluster.error().message;
      return;
    }
    ++in_flight_;
    ApiRequest request;
    request.path = "/version";
    request.timeouts = kCheckTimeouts;
    clusters_.push_back(*cluster);
    calls_.push_back((*cluster)->make_call(std::move(request), [this, index](ApiAnswer answer) {
      if (!done_) return;
      --in_flight_;
      take(data_["contexts"][index], std::move(answer));
      if (!is_filling_) fill();
    }));
    calls_.back()->start();
  }

  static void take(Json& row, ApiAnswer answer) {
    if (answer) {
      row["reachable"] = true;
      row["accepted"] = true;
      row["version"] = text_member(answer->object(), "gitVersion");
      return;
    }
    const Failure& failure = answer.error();
    const bool is_answered = failure.details.contains("http_status");
    row["reachable"] = is_answered;
    if (is_answered) row["accepted"] = failure.details["http_status"] != Json(401);
    row["why"] = failure.message;
  }

  KubeService& service_;
  Json data_;
  std::function<void(Outcome)> done_;
  std::deque<std::size_t> waiting_;
  std::vector<std::shared_ptr<Cluster>> clusters_;  ///< Outlive their calls.
  std::vector<std::unique_ptr<ApiCall>> calls_;
  int in_flight_ = 0;
  bool is_filling_ = false;
};

/// Names no cluster, so that a client configuration in which none can be chosen is shown as well.
class ContextsExecutor final : public Executor {
 public:
  ContextsExecutor(CommandInfo info, std::shared_ptr<KubeService> service)
      : info_(std::move(info)), service_(std::move(service)) {}

  const CommandInfo& info() const override { return info_; }

  Result<ExecutionPlan, Failure> plan(const Request&) override {
    ExecutionPlan plan;
    plan.effects = info_.effects;
    plan.destination = "kubeconfig";
    return plan;
  }

  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext&,
                                   std::function<void(Outcome)> done) override {
    auto data = list(text_member(request.params, "context"));
    if (!data || member(request.params, "check") != Json(true)) {
      done(data ? Outcome(*std::move(data)) : Outcome(std::move(data).error()));
      return nullptr;
    }
    auto run = std::make_unique<ContextsRun>(*service_, *std::move(data), std::move(done));
    run->begin();
    return run;
  }

 private:
  Outcome list(const std::string& wanted) {
    const auto config = service_->client_configuration();
    if (!config) return Failure::of(config.error());
    std::vector<std::string> names;
    for (const auto& [name, context] : (*config)->contexts) names.push_back(name);
    for (const std::string& name : service_->config().contexts) {
      if (!(*config)->contexts.contains(name)) names.push_back(name);
    }
    std::ranges::sort(names);
    if (!wanted.empty() && std::ranges::find(names, wanted) == names.end()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      return Failure::of({ErrorCode::kNotFound,
                          fmt::format("/params/context: the client configuration has no '{}'{}",
                                      wanted, suggest(wanted, known))});
    }
    if (!wanted.empty()) names = {wanted};
    Json rows = Json::array();
    for (const std::string& name : names) {
      if (rows.size() == kContextRowsMax) break;
      rows.push_back(describe_context(**config, name, service_->config().contexts));
    }
    Json data{{"returned", rows.size()}, {"complete", rows.size() == names.size()}};
    if (rows.size() < names.size()) data["left_out"] = names.size() - rows.size();
    if (!(*config)->current_context.empty()) data["current"] = (*config)->current_context;
    data["files"] = service_->client_files();
    add_default(rows, data);
    data["contexts"] = std::move(rows);
    return data;
  }

  void add_default(Json& rows, Json& data) {
    const auto chosen = service_->choose("");
    if (!chosen) {
      data["why"] = chosen.error().message;
      return;
    }
    const std::string& name = (*chosen)->access().context;
    data["default"] = name;
    for (Json& row : rows) row["default"] = text_member(row, "name") == name;
  }

  CommandInfo info_;
  std::shared_ptr<KubeService> service_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_contexts(std::shared_ptr<KubeService> service,
                                             std::string_view schema) {
  return std::make_unique<ContextsExecutor>(
      CommandInfo{"kube.contexts",
                  "Lists the contexts of the client configuration, without credentials; on "
                  "request, says whether their servers answer.",
                  schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
