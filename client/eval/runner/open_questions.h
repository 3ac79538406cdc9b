// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/core/request_state.h"
#include "client/core/submission.h"
#include "client/eval/grader.h"
#include "spool/layout.h"

namespace filecall::client {

/// The questions that have been asked and are not answered, and who waits for them. What several
/// wait for is asked once. A question that ended is asked again when somebody needs it again: the
/// engine knows its answer. Some hundred bytes for each that waits. One thread.
class OpenQuestions {
 public:
  /// One who waits for the replies to its questions.
  class Waiter {
   public:
    explicit Waiter(std::size_t subject) : subject_(subject) {}
    /// Whose questions these are: a number of the caller's.
    std::size_t subject() const { return subject_; }
    bool is_second_round = false;

   private:
    friend class OpenQuestions;
    struct Heard {
      std::string problem;  ///< Of a question that was given up.
      bool is_given_up = false;
      std::shared_ptr<const Response> response;  ///< Null: its file has it.
    };
    std::size_t subject_;
    std::size_t left_ = 0;  ///< Questions without an outcome.
    std::map<std::string, Heard, std::less<>> heard_;
  };
  using WaiterPtr = std::shared_ptr<Waiter>;

  /// `layout` must outlive it.
  explicit OpenQuestions(const spool::Layout& layout) : layout_(layout) {}

  /// `waiter` waits for the replies to all of these; there is at least one.
  void ask(const WaiterPtr& waiter, std::vector<Question> questions);
  /// The next question that must be dropped; nullopt: none, for now.
  std::optional<Submission> take();
  /// Those whose last reply this is, in the order in which they asked. Another's request: none.
  std::vector<WaiterPtr> on_outcome(const RequestOutcome& outcome);
  /// What became of a question of `waiter`; reads the response's file unless it was read before.
  Reply reply(const Waiter& waiter, const Question& question) const;

 private:
  const spool::Layout& layout_;
  std::deque<Submission> submissions_;
  std::map<std::string, std::vector<WaiterPtr>, std::less<>> waiters_;  ///< By the question's id.
};

}  // namespace filecall::client
