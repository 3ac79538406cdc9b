// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_watch_run.h"
#include "worker/exec/kube/model/wait_condition.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kWaitDefaultS = 30;
constexpr std::size_t kWaitedShown = 50;

class WaitRun final : public WatchRun {
 public:
  explicit WaitRun(KubeTask task)
      : WatchRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    begin_time(seconds(timeout_s()));
    auto condition = parse_wait(text_member(params_, "for"));
    if (!condition) return fail_with(Failure::of(condition.error()));
    condition_ = *std::move(condition);
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) { begin_with(std::move(found)); });
  }

  Json partial() const override { return details(); }

 private:
  std::int64_t timeout_s() const {
    return count_member(params_, "timeoutS").value_or(kWaitDefaultS);
  }

  struct Row {
    std::string uid;
    WaitView view;
  };

  void begin_with(Cluster::FoundKind found) {
    found_ = std::move(found);
    for (const char* verb : {"list", "watch"}) {
      if (auto refused = refuse_verb(*found_.resource, verb)) {
        return fail_with(std::move(*refused));
      }
    }
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    follow({*found_.resource, name_space_, text_member(params_, "name"),
            text_member(params_, "labelSelector")});
  }

  bool waits_for(WaitCondition::Kind kind) const { return condition_.kind == kind; }

  bool take_list(const Json& items) override {
    const bool is_first = !std::exchange(was_read_, true);
    if (is_first && items.empty() && !waits_for(WaitCondition::Kind::kDelete) &&
        !waits_for(WaitCondition::Kind::kCreate)) {
      problem_ = not_there();
      return true;
    }
    std::map<std::string, const Json*> present;
    for (const Json& item : items) {
      present.emplace(text_member(member(item, "metadata"), "name"), &item);
    }
    for (auto& [name, row] : rows_) {
      const auto found = present.find(name);
      if (found == present.end()) row.view = view_of(condition_, Json());
    }
    for (const auto& [name, item] : present) take(name, *item, is_first);
    return is_enough();
  }

  bool take_change(std::string_view type, const Json& object) override {
    const std::string name = text_member(member(object, "metadata"), "name");
    if (type != "DELETED") {
      take(name, object, false);
    } else if (const auto row = rows_.find(name); row != rows_.end()) {
      row->second.view = view_of(condition_, Json());
    }
    return is_enough();
  }

  /// Waited for are the objects that were there in the beginning, as kubectl has it; the first one
  /// to come where one is waited for.
  void take(const std::string& name, const Json& object, bool is_first) {
    const std::string uid = text_member(member(object, "metadata"), "uid");
    auto row = rows_.find(name);
    if (row == rows_.end()) {
      if (!is_first && !waits_for(WaitCondition::Kind::kCreate)) return;
      row = rows_.emplace(name, Row{uid, {}}).first;
    }
    const bool is_another = row->second.uid != uid;
    // Another object of that name: the one that was to go has gone.
    if (is_another && waits_for(WaitCondition::Kind::kDelete)) {
      row->second.view = {true, "another object of that name is there: this one is gone"};
      return;
    }
    row->second = {uid, view_of(condition_, object)};
  }

  bool is_enough() {
    for (const auto& [name, row] : rows_) {
      if (!row.view.is_hidden) continue;
      problem_ = Failure::of(
          {ErrorCode::kFailedPrecondition,
           fmt::format("what stands at that path of '{}' is hidden as a secret, and cannot be "
                       "waited for",
                       name)});
      return true;
    }
    if (rows_.empty()) return waits_for(WaitCondition::Kind::kDelete);
    return std::ranges::all_of(rows_, [](const auto& row) { return row.second.view.is_met; });
  }

  Failure not_there() const {
    const std::string name = text_member(params_, "name");
    const std::string what = found_.resource->qualified_name();
    const std::string place =
        name_space_.empty() ? "" : fmt::format(" in namespace '{}'", name_space_);
    return Failure::of(
        {ErrorCode::kNotFound,
         name.empty() ? fmt::format("no {} fit '{}'{}; for: create waits until one does", what,
                                    text_member(params_, "labelSelector"), place)
                      : fmt::format("{} \"{}\" not found{}; for: create waits until it is there",
                                    what, name, place)});
  }

  Json details() const {
    Json rows = Json::array();
    std::size_t met = 0;
    for (const auto& [name, row] : rows_) met += row.view.is_met ? 1 : 0;
    // First what is still missing: that is what one asks for.
    for (const bool is_met : {false, true}) {
      for (const auto& [name, row] : rows_) {
        if (row.view.is_met != is_met || rows.size() >= kWaitedShown) continue;
        rows.push_back({{"name", name}, {"met", is_met}, {"seen", row.view.seen}});
      }
    }
    Json out{{"for", text_member(params_, "for")},
             {"met", met},
             {"total", rows_.size()},
             {"waitedMs", to_ms(elapsed())}};
    if (rows_.size() > rows.size()) out["omitted"] = rows_.size() - rows.size();
    out["objects"] = std::move(rows);
    out["kind"] = found_.resource == nullptr ? "" : found_.resource->kind;
    if (!name_space_.empty()) out["namespace"] = name_space_;
    return out;
  }

  void conclude(bool is_enough) override {
    if (problem_) return give_up(*std::move(problem_));
    // The time may be over while the namespace is looked for.
    if (is_met_) return succeed(details());
    is_met_ = is_enough;
    // Gone, or never there: the name of the namespace may be wrong.
    if (is_met_) {
      return check_namespace(rows_.empty() ? name_space_ : "", [this](const Json& more) {
        Json data = details();
        data.update(more);
        succeed(std::move(data));
      });
    }
    Failure failure;
    failure.code = ErrorCode::kDeadlineExceeded;
    failure.retryable = false;  // Who wants to wait longer says so.
    std::string seen = was_read_ ? "it is not there" : "nothing, the server has not answered";
    for (const auto& [name, row] : rows_) {
      if (!row.view.is_met) seen = fmt::format("'{}': {}", name, row.view.seen);
    }
    failure.message = fmt::format("{} did not hold within {} s; seen last: {}",
                                  text_member(params_, "for"), timeout_s(), seen);
    give_up(std::move(failure));
  }

  void give_up(Failure failure) override {
    Json seen = details();
    if (failure.details.is_object()) seen.update(failure.details);
    failure.details = std::move(seen);
    fail_with(std::move(failure));
  }

  const Json params_;
  WaitCondition condition_;
  Cluster::FoundKind found_;
  std::string name_space_;
  std::map<std::string, Row> rows_;
  bool was_read_ = false;
  bool is_met_ = false;
  std::optional<Failure> problem_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_wait(std::shared_ptr<KubeService> service,
                                         std::string_view schema) {
  return make_kube_executor<WaitRun>(
      {"kube.wait",
       "Waits until Kubernetes objects are there, are gone, or show a condition or a value, for a "
       "bounded time.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
