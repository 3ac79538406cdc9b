// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"
#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kApprovalCommands[] = {
    {.name = "approvals",
     .arguments = "[ID]",
     .summary = "Show the calls that wait for a decision.",
     .details =
         "Each is shown with its tool, arguments, risk and the reasons for it, a preview, and the\n"
         "rule that --scope would store. --all also lists what was decided. Values of a Secret "
         "are\nreplaced by their size and a keyed hash.",
     .options = "all root json allow-shared-root",
     .examples = "  filecall approvals\n"
                 "  filecall approvals run-abc.3\n"
                 "  filecall approvals --json | jq -r '.approvals[].id'",
     .arguments_max = 1,
     .exit_codes = "0 2 74",
     .run = approvals_command},
    {.name = "approve",
     .arguments = "ID",
     .summary = "Approve calls that wait for a decision.",
     .details =
         "A decision is for all calls of the approval, and the first one counts: a second is an\n"
         "error that names who decided. With --call only these calls are approved, and the others\n"
         "are denied. Changed arguments are checked by the command's schema and by the policy. "
         "The\n"
         "decision is signed with client/approval.key of the root. A scope beyond once stores the\n"
         "rule that 'filecall approvals' shows: for the run, the thread, or the project, in\n"
         "policy.d/ beside policy.yaml.",
     .options = "call args hunks scope reason by root json allow-shared-root",
     .examples = "  filecall approve run-abc.3\n"
                 "  filecall approve run-abc.3 --call 2 --args '{\"argv\": [\"make\", \"test\"]}'\n"
                 "  filecall approve run-abc.3 --call 1 --hunks 4f1c,9b02\n"
                 "  filecall approve run-abc.3 --scope thread",
     .arguments_min = 1,
     .arguments_max = 1,
     .exit_codes = "0 1 2 74",
     .run = approve_command},
    {.name = "deny",
     .arguments = "ID",
     .summary = "Deny calls that wait for a decision.",
     .details = "The run goes on without them, and its model sees the reason. With --call only\n"
                "these calls are denied, and the others are approved.",
     .options = "call reason by root json allow-shared-root",
     .examples = "  filecall deny run-abc.3 --reason 'use the staging cluster'\n"
                 "  filecall deny run-abc.3 --call 2",
     .arguments_min = 1,
     .arguments_max = 1,
     .exit_codes = "0 1 2 74",
     .run = deny_command},
    {.name = "policy",
     .arguments = "ACTION [CALL|FILE...]",
     .summary = "Explain what decides on a call, and check policies.",
     .details =
         "ACTION is explain or check. explain names the decision, the rule with its file and "
         "line,\n"
         "all rules that match, and the risk with its reasons. CALL is RUN.STEP.N of an approval,\n"
         "or the id of a request; --tool and --params say a call that was not made. check reads\n"
         "each FILE, or the policy that holds here, tries the examples of its rules, and names\n"
         "tools and params that no command has. A policy is --policy FILE, policy.yaml in\n"
         "$XDG_CONFIG_HOME/filecall (~/.config/filecall), the scenario's own and the project's\n"
         "stored rules; the strictest rule that matches wins.",
     .options = "tool params policy sandbox root json allow-shared-root",
     .examples =
         "  filecall policy check\n"
         "  filecall policy check policy.yaml\n"
         "  filecall policy explain run-abc.3.1\n"
         "  filecall policy explain --tool tool.run --params '{\"argv\": [\"git\", \"push\"]}'",
     .arguments_min = 1,
     .arguments_max = -1,
     .words = "explain check",
     .exit_codes = "0 1 2 74",
     .run = policy_command},
};

}  // namespace

std::span<const CommandSpec> approval_commands() { return kApprovalCommands; }

}  // namespace filecall::client
