// SPDX-License-Identifier: MIT
// Programs that run another one: env, sudo, xargs, ssh.
#include <algorithm>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

// From the manual pages of the programs in Debian 12.
constexpr WrapperModel kWrappers[] = {
    {.name = "env",
     .valued = "-u --unset -C --chdir",
     .flags = "- -i --ignore-environment -0 --null -v --debug --list-signal-handling",
     .assigns = true,
     .scripts = "-S --split-string"},
    {.name = "sudo",
     .valued = "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T "
               "--command-timeout -U --other-user -D --chdir -R --chroot -a --auth-type -c "
               "--login-class",
     .flags =
         "-A --askpass -b --background -B --bell -E --preserve-env -H --set-home -i --login -k "
         "--reset-timestamp -K -n --non-interactive -P --preserve-groups -S --stdin -s --shell "
         "-N --no-update",
     .assigns = true},
    {.name = "doas", .valued = "-u -C -a", .flags = "-n -s -L"},
    {.name = "pkexec", .valued = "--user", .flags = "--disable-internal-agent --keep-cwd"},
    {.name = "su",
     .valued = "-g --group -G --supp-group -s --shell -w --whitelist-environment",
     .flags = "- -l --login -m -p --preserve-environment -P --pty -f --fast",
     .operands = 1,
     .scripts = "-c --command --session-command"},
    {.name = "runuser",
     .valued = "-u --user -g --group -G --supp-group -s --shell -w",
     .flags = "- -l --login -m -p -P --pty -f --fast",
     .scripts = "-c --command --session-command"},
    {.name = "xargs",
     .valued = "-I -d --delimiter -E -L --max-lines -n --max-args -P --max-procs -s --max-chars -a "
               "--arg-file --process-slot-var --replace --eof",
     .flags =
         "-0 --null -r --no-run-if-empty -t --verbose -p --interactive -x --exit -o --open-tty "
         "-i -e -l --show-limits"},
    {.name = "parallel",
     .valued = "-j --jobs -a --arg-file -I --delay --timeout -n -N -L -S",
     .flags = "-k -0 --null -q --dry-run --bar -X -m --will-cite",
     .joins = true},
    {.name = "timeout",
     .valued = "-k --kill-after -s --signal",
     .flags = "--preserve-status --foreground -v --verbose",
     .operands = 1,
     .is_transparent = true},
    {.name = "nice",
     .valued = "-n --adjustment",
     .flags = "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9",
     .is_transparent = true},
    {.name = "ionice",
     .valued = "-c --class -n --classdata -p --pid -P --pgid -u --uid",
     .flags = "-t --ignore",
     .is_transparent = true},
    {.name = "stdbuf", .valued = "-i --input -o --output -e --error", .is_transparent = true},
    {.name = "time",
     .valued = "-f --format -o --output",
     .flags = "-p --portability -v --verbose -a --append -q --quiet"},
    {.name = "nohup"},
    {.name = "setsid", .flags = "-c --ctty -f --fork -w --wait"},
    {.name = "watch",
     .valued = "-n --interval",
     .flags = "-d --differences -b --beep -c --color -C --no-color -e --errexit -g --chgexit -p "
              "--precise -t --no-title -w --no-wrap -x --exec -q --equexit -r --no-rerun",
     .joins = true},
    {.name = "chroot", .valued = "--groups --userspec", .flags = "--skip-chdir", .operands = 1},
    {.name = "unshare",
     .valued = "--map-user --map-group --map-users --map-groups -R --root -w --wd -S --setuid -G "
               "--setgid --propagation --setgroups --monotonic --boottime",
     .flags =
         "-m --mount -u --uts -i --ipc -n --net -p --pid -U --user -C --cgroup -T --time -f "
         "--fork -r --map-root-user -c --map-current-user --mount-proc --kill-child --keep-caps"},
    {.name = "nsenter",
     .valued = "-t --target -S --setuid -G --setgid",
     .flags = "-a --all -m --mount -u --uts -i --ipc -n --net -p --pid -C --cgroup -U --user -T "
              "--time -r --root -w --wd -F --no-fork --preserve-credentials"},
    {.name = "flock",
     .valued = "-w --wait --timeout -E --conflict-exit-code",
     .flags =
         "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork "
         "--verbose",
     .operands = 1,
     .scripts = "-c --command"},
    {.name = "script",
     .valued =
         "-E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -m -o --output-limit",
     .flags = "-a --append -e --return -f --flush --force -q --quiet -t --timing",
     .operands = 1,
     .scripts = "-c --command"},
    {.name = "strace",
     .valued = "-a -b -e -E -I -o -O -p -P -s -S -u -U -X",
     .flags = "-c -C -d -D -f -F -h -i -k -n -q -r -t -T -v -V -w -x -y -z -Z"},
    {.name = "ltrace",
     .valued = "-a -A -D -e -F -l -n -o -p -s -u -w -x",
     .flags = "-b -c -C -f -i -L -r -S -t -T"},
    {.name = "taskset", .flags = "-a --all-tasks -c --cpu-list", .operands = 1},
    {.name = "chrt",
     .valued = "-T -P -D --sched-runtime --sched-period --sched-deadline",
     .flags = "-b --batch -d --deadline -f --fifo -i --idle -o --other -r --rr -R -a -v",
     .operands = 1},
    {.name = "numactl",
     .valued = "-i -m -N -C -p -l --interleave --membind --cpunodebind",
     .flags = "-a --all"},
    {.name = "prlimit", .flags = "--verbose --raw --noheadings"},
    {.name = "setpriv",
     .valued = "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set",
     .flags = "--no-new-privs --clear-groups --init-groups --keep-groups --reset-env"},
    {.name = "setarch",
     .flags = "-R --addr-no-randomize -B -F -I -L -S -T -X -Z -3 -v",
     .operands = 1},
    {.name = "linux64", .flags = "-R -B -F -I -L -S -T -X -Z -3 -v"},
    {.name = "linux32", .flags = "-R -B -F -I -L -S -T -X -Z -3 -v"},
    {.name = "systemd-run",
     .valued = "-p --property -E --setenv -u --unit --uid --gid -M --machine -H --host "
               "--working-directory --description --slice --nice",
     .flags = "--user --system --scope -t --pty -P --pipe -q --quiet -G --collect -d --same-dir -r "
              "--remain-after-exit --wait --no-block -S --shell"},
    {.name = "systemd-inhibit", .valued = "--what --who --why --mode"},
    {.name = "dbus-run-session", .valued = "--config-file --dbus-daemon"},
    {.name = "xvfb-run", .valued = "-e -f -n -p -s -w", .flags = "-a -l"},
    {.name = "fakeroot", .valued = "-l -s -i -f -b", .flags = "-u"},
    {.name = "eatmydata"},
    {.name = "catchsegv"},
    {.name = "exec", .valued = "-a", .flags = "-c -l"},
    {.name = "command", .flags = "-p -v -V"},
    {.name = "builtin"},
    {.name = "busybox"},
    {.name = "toybox"},
    {.name = "gdb", .valued = "-ex -x -p", .flags = "--args -q --batch -batch"},
    {.name = "ld-linux-x86-64.so.2", .valued = "--library-path --preload --argv0 --audit"},
    {.name = "ssh",
     .valued = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -P -Q -R -S -W -w",
     .flags = "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
     .operands = 1,
     .joins = true},
};

}  // namespace

const WrapperModel* find_wrapper(std::string_view program) {
  const auto* found =
      std::find_if(std::begin(kWrappers), std::end(kWrappers),
                   [program](const WrapperModel& model) { return model.name == program; });
  return found == std::end(kWrappers) ? nullptr : found;
}

}  // namespace filecall::client
