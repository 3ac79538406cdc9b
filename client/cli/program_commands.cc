// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kProgramCommands[] = {
    {.name = "doctor",
     .summary = "Check root, events, disk, clock, worker and its servers; say what to do.",
     .options = "worker-config root json allow-shared-root",
     .examples = "  filecall doctor\n"
                 "  filecall doctor --worker-config worker.yaml\n"
                 "  filecall doctor --root /var/spool/filecall --json",
     .exit_codes = "0 1 2",
     .run = doctor_command},
    {.name = "worker",
     .arguments = "ACTION",
     .summary = "Manage the root's worker, one per root.",
     .details = "ACTION is start, stop, restart, status or logs. start returns when the worker is\n"
                "ready; the worker is detached and outlives the terminal. start and restart use "
                "the flags\n"
                "and the configuration that the root's last worker had, no matter who started it.",
     .options = "worker-config forget log-file durability timeout grace now wait lines follow "
                "quiet root json allow-shared-root",
     .examples = "  filecall worker start --worker-config worker.yaml\n"
                 "  filecall worker status\n"
                 "  filecall worker logs --lines 200 --follow\n"
                 "  filecall worker restart --wait\n"
                 "  filecall worker stop --grace 5s",
     .arguments_min = 1,
     .arguments_max = 1,
     .words = "start stop restart status logs",
     .exit_codes = "0 1 2 3 74 75",
     .run = worker_command},
    {.name = "schema",
     .arguments = "[NAME]",
     .summary = "Print a JSON Schema of the protocol, or their names.",
     .options = "root json",
     .examples = "  filecall schema\n  filecall schema request\n"
                 "  filecall schema command.tool.run",
     .arguments_max = 1,
     .exit_codes = "0 2",
     .run = schema_command},
    {.name = "completion",
     .arguments = "bash|zsh",
     .summary = "Print a completion script for a shell.",
     .details = "It asks for names: filecall completion KIND WORD. KIND is ids, batches, runs,\n"
                "threads, paused, pause, proposals, schemas or approvals.",
     .options = "root",
     .examples = "  . <(filecall completion bash)\n"
                 "  filecall completion zsh > ~/.zfunc/_filecall",
     .arguments_min = 1,
     .arguments_max = 2,
     .words = "bash zsh",
     .exit_codes = "0 2",
     .run = completion_command},
    {.name = "version",
     .summary = "Print the version.",
     .options = "root json",
     .examples = "  filecall version",
     .exit_codes = "0 2",
     .run = version_command},
    {.name = "help",
     .arguments = "[COMMAND]",
     .summary = "Explain a command.",
     .examples = "  filecall help run",
     .arguments_max = 1,
     .words = "call run watch status show follow retry edit cancel pause resume proposal gc agent "
              "thread "
              "scenario runs import eval report compare approvals approve deny policy doctor "
              "worker schema",
     .exit_codes = "0 2",
     .run = help_command},
};

}  // namespace

std::span<const CommandSpec> program_commands() { return kProgramCommands; }

}  // namespace filecall::client
