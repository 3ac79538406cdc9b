// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/channel/request_channel.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {

/// What can be wrong with a client; planted to show that it is found.
enum class ChannelFault { kNone, kDiscardsWhateverIsThere };

/// The client's way into a World. It tells of nothing by itself: hint() does, as often and as late
/// as a test likes.
class MemoryChannel final : public client::RequestChannel {
 public:
  explicit MemoryChannel(World& world, ChannelFault fault = ChannelFault::kNone)
      : world_(world), fault_(fault) {}

  void hint(Id id) { hints_.push_back({name_of(id), false}); }
  void hint_request(Id id) { hints_.push_back({name_of(id), true}); }
  /// Called with each answer before it is deleted.
  void watch_discards(std::function<void(Id, const client::AnswerVersion&)> watch) {
    on_discard_ = std::move(watch);
  }
  /// The process dies after so many more steps: what it does then has no effect.
  void die_after(int steps) { steps_left_ = steps; }

  void drop(std::span<client::ChannelDrop> drops) override {
    using Fate = client::ChannelDrop::Fate;
    for (client::ChannelDrop& drop : drops) {
      if (!lives()) return;
      const Id id = id_of(drop.request_id);
      const bool is_first = world_.requests.emplace(id, drop.bytes).second;
      drop.fate = is_first ? Fate::kDropped : Fate::kThere;
    }
  }
  bool has_request(std::string_view id) override { return world_.requests.contains(id_of(id)); }
  std::optional<WallTime> begun_at(std::string_view id) override {
    const auto found = begun.find(id_of(id));
    return found == begun.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::optional<std::string>> read_request(std::string_view id) override {
    const auto found = world_.requests.find(id_of(id));
    if (found == world_.requests.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
  Result<void> send_cancel(std::string_view id, int, client::CancelWish) override {
    if (lives()) world_.cancels.insert(id_of(id));
    return {};
  }

  Result<std::optional<client::ChannelAnswer>> read_answer(std::string_view id) override {
    ++reads;
    const auto found = world_.responses.find(id_of(id));
    if (found == world_.responses.end()) return std::optional<client::ChannelAnswer>();
    return std::optional(client::ChannelAnswer{found->second.version, parsed(id, found->second)});
  }
  Result<bool> discard_answer(std::string_view id, const client::AnswerVersion& version) override {
    if (!lives()) return true;
    const auto found = world_.responses.find(id_of(id));
    if (found == world_.responses.end()) return true;
    const bool is_same = found->second.version == version;
    if (!is_same && fault_ != ChannelFault::kDiscardsWhateverIsThere) return false;
    if (found->second.is_success) ++world_.lost_successes;
    if (on_discard_) on_discard_(found->first, found->second.version);
    world_.responses.erase(found);
    return true;
  }
  Result<bool> set_aside(std::string_view, const client::AnswerVersion&, int) override {
    return true;
  }
  Result<void> keep_own_answer(std::string_view, std::string_view) override { return {}; }

  bool has_failed(std::string_view id) override { return world_.failed.contains(id_of(id)); }
  Result<bool> keep_answer_as_failed(std::string_view id) override {
    const auto found = world_.responses.find(id_of(id));
    if (found == world_.responses.end()) return false;
    if (lives()) world_.failed[id_of(id)] = found->second;
    return true;
  }
  Result<void> keep_as_failed(const Response& failure) override {
    if (lives()) world_.failed[id_of(failure.request_id)] = {};
    return {};
  }
  Result<void> remove_failed(std::string_view id) override {
    if (lives()) world_.failed.erase(id_of(id));
    return {};
  }

  Result<void> listen(bool, Interest, MonotonicTime) override { return {}; }
  int poll_fd() const override { return -1; }
  void on_readable(MonotonicTime) override {}
  Deadline next_wake() const override { return Deadline::never(); }
  void on_wake(MonotonicTime) override {}
  std::vector<client::ChannelHint> take_hints() override { return std::exchange(hints_, {}); }
  void request_scan(MonotonicTime) override {
    for (const auto& [id, response] : world_.responses) hint(id);
  }

  int reads = 0;                 ///< Of answers.
  std::map<Id, WallTime> begun;  ///< What the server says to be at.

 private:
  bool lives() { return steps_left_ > 0 && steps_left_-- > 0; }

  static Result<Response> parsed(std::string_view id, const ResponseFile& file) {
    Response response;
    response.request_id = std::string(id);
    Json data = Json::object();
    if (file.tokens > 0) {
      data = {{"usage", {{"output_tokens", file.tokens}}}, {"cost", file.tokens}};
    }
    if (file.is_success) {
      response.data = std::move(data);
      return response;
    }
    response.failure.emplace();
    response.failure->code = file.code;
    response.failure->message = "failed";
    response.failure->retryable = file.retryable;
    response.failure->details = {{"answer", std::move(data)}};
    if (file.is_given_back) {
      response.failure->details = {{"pause", true}, {"started", false}};
    }
    if (file.retry_after) response.failure->retry_after_ms = to_ms(*file.retry_after);
    return response;
  }

  World& world_;
  ChannelFault fault_;
  std::vector<client::ChannelHint> hints_;
  std::function<void(Id, const client::AnswerVersion&)> on_discard_;
  int steps_left_ = std::numeric_limits<int>::max();
};

}  // namespace filecall::simulation
