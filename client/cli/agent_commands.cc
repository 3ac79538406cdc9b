// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"
#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kAgentCommands[] = {
    {.name = "agent",
     .arguments = "GOAL | ACTION RUN",
     .summary = "Let a model reach a goal by requests, and ask before anything changes.",
     .details =
         "The model plans, the worker's commands do, the plan is made again with what they\n"
         "answered, and a report says the outcome. Every call of the model and of a tool is a\n"
         "request file, so an interrupted run goes on where it stopped. What has effects waits "
         "for a\n"
         "decision: on the terminal, by 'filecall approve', or by a policy. ACTION is\n\n"
         "  resume RUN       go on; with a larger budget also when it ended on one\n"
         "  show RUN         what was said, decided and done\n"
         "  list             the runs of the root\n"
         "  steer RUN TEXT   say something to the model\n"
         "  cancel RUN       end it\n"
         "  undo RUN         take back the last change set that it applied\n"
         "  replay RUN       play it again without a model; say where it would go another way\n"
         "  script RUN       print a scripted model that answers as the model did\n"
         "  batch FILE       a run for each line {\"goal\": ...}; 'filecall eval' grades them\n\n"
         "Ctrl-C parks the run, a second one cancels it. Without a terminal a run that waits for "
         "a\n"
         "decision is parked, with exit code 6, and the same command goes on after it.",
     .options = "scenario thread run model planner editing policy max-steps max-calls max-writes "
                "max-tokens max-cost max-time wait no-wait runs repeat window timeout attempts "
                "backoff backoff-max "
                "max-pause max-outage cold-start-delay start-worker no-start-worker worker-config "
                "durability quiet root json allow-shared-root",
     .examples = "  filecall agent 'Which files mention the word lease?'\n"
                 "  filecall agent 'Why does the checkout of the shop fail?' --scenario kubeops\n"
                 "  filecall agent 'Fix the failing test' --scenario code --max-steps 20\n"
                 "  filecall agent steer run-abcdefghij 'Look at the logs, too'\n"
                 "  filecall agent resume run-abcdefghij\n"
                 "  filecall agent batch tasks.jsonl --scenario explore --repeat 4 --no-wait\n"
                 "  filecall agent script run-abcdefghij > model.jsonl",
     .arguments_min = 1,
     .arguments_max = 3,
     .words = "resume show list steer cancel undo replay script batch",
     .exit_codes = "0 1 2 3 5 6 74 75 130",
     .run = agent_command},
};

}  // namespace

std::span<const CommandSpec> agent_commands() { return kAgentCommands; }

}  // namespace filecall::client
