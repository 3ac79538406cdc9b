// SPDX-License-Identifier: MIT
#include "base/result.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/follow_output.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/service/request_follower.h"
#include "loop/event_loop.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

Result<int> follow(const Arguments& arguments) {
  TRY_ASSIGN(const Duration patience, arguments.duration("patience", seconds(5)));
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  TRY_ASSIGN(const auto loop, EventLoop::open());
  Interruption interruption(*loop);
  const InterruptScope scope(interruption);
  const std::string& id = arguments.words()[0];
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  FollowOutput output(id, arguments.has("json"), arguments.has("quiet"));
  RequestFollower follower(*ledger, layout.root(), id, patience, output);
  TRY_ASSIGN(const RequestFollower::End end, follower.run([&](Duration pause) {
    const MonotonicTime now = monotonic_now();
    loop->wait(Deadline::after(now, pause), now);
    return !interruption.is_requested() && output_works();
  }));
  if (end.is_interrupted) return output_works() ? kExitInterrupted : kExitGaveUp;
  return output.print_answer(layout, end.state, end.asked);
}

}  // namespace

int follow_command(const Arguments& arguments) {
  const auto code = follow(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
