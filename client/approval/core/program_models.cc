// SPDX-License-Identifier: MIT
#include "client/approval/core/program_models.h"

#include <algorithm>

namespace filecall::client {
namespace {

// From the manual pages of the programs in Debian 12, and those of docker 27, podman 4,
// kubectl 1.30 and npm 10.
constexpr VerbModel kVerbPrograms[] = {
    {.name = "git",
     .valued = "-C -c --exec-path --git-dir --work-tree --namespace --super-prefix --config-env "
               "--attr-source --list-cmds",
     .flags =
         "-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs "
         "--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice "
         "--no-lazy-fetch --html-path --man-path --info-path --version -v --help -h",
     .harmless = "--no-pager -P --no-optional-locks --no-replace-objects --no-advice"},
    {.name = "docker",
     .valued = "-H --host --config -c --context -l --log-level --tlscacert --tlscert --tlskey",
     .flags = "-D --debug --tls --tlsverify -v --version --help"},
    {.name = "podman",
     .valued =
         "--connection --identity --root --runroot --url --storage-driver --storage-opt "
         "--runtime --runtime-flag --cgroup-manager --conmon --events-backend --hooks-dir "
         "--log-level --module --namespace --network-cmd-path --network-config-dir --out --ssh "
         "--tmpdir --volumepath --imagestore --default-mounts-file -c -r",
     .flags = "--remote --noout --syslog --trace --transient-store -v --version --help"},
    {.name = "kubectl",
     .valued = "-n --namespace --context --cluster --kubeconfig --user --as --as-group --as-uid "
               "--token -s --server --certificate-authority --client-certificate --client-key "
               "--request-timeout --cache-dir --tls-server-name -v --v --vmodule --profile "
               "--profile-output --username --password --log-backtrace-at --log-file --log-dir",
     .flags = "--insecure-skip-tls-verify --match-server-version --warnings-as-errors "
              "--disable-compression --help -h"},
    {.name = "helm",
     .valued =
         "-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-as-group "
         "--kube-as-user --kube-ca-file --kube-token --kube-tls-server-name --registry-config "
         "--repository-cache --repository-config --burst-limit --qps",
     .flags = "--debug --kube-insecure-skip-tls-verify --help -h"},
    {.name = "npm",
     .valued =
         "--prefix -C -w --workspace --registry --userconfig --globalconfig --cache --loglevel "
         "--script-shell --node-options --otp --tag",
     .flags =
         "-s --silent -q --quiet -d -g --global --workspaces -ws --yes -y --no-audit --no-fund "
         "--offline --prefer-offline --legacy-peer-deps --force -f --ignore-scripts --json",
     .harmless = "-s --silent -q --quiet"},
    {.name = "pnpm",
     .valued = "-C --dir --filter -F --prefix --config --loglevel",
     .flags = "-r --recursive -s --silent -w --workspace-root -g"},
    {.name = "yarn",
     .valued = "--cwd --registry --modules-folder --cache-folder",
     .flags = "-s --silent --offline --verbose --json"},
    {.name = "cargo",
     .valued = "--config -Z -C --color --explain",
     .flags = "-v --verbose -q --quiet --locked --offline --frozen --list -V --version --help -h",
     .harmless = "-q --quiet -v --verbose --locked --offline --frozen"},
    {.name = "go", .valued = "-C"},
    {.name = "apt",
     .valued = "-o --option -c --config-file -t -a",
     .flags = "-y --yes -q --quiet -s --simulate"},
    {.name = "apt-get",
     .valued = "-o --option -c --config-file -t -a",
     .flags = "-y --yes -q -qq --quiet -s --simulate"},
    {.name = "systemctl",
     .valued = "-t --type -H --host -M --machine -n --lines -o --output --root "
               "--state -p --property",
     .flags = "--user --system -q --quiet --no-block --no-pager -f --force --now -a --all",
     .harmless = "--no-pager"},
    {.name = "terraform", .flags = "-version -help"},
    {.name = "pip",
     .valued = "--python --log --proxy --retries --timeout --exists-action --cert "
               "--client-cert --cache-dir",
     .flags = "-q --quiet -v --verbose --no-input --no-color --isolated"},
};

constexpr std::string_view kShells =
    "sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell";
constexpr std::string_view kInterpreters =
    "python perl ruby node nodejs deno bun php lua luajit awk gawk mawk nawk osascript  tclsh "
    "expect Rscript R julia scala groovy guile sbcl ghci runghc irb pypy ipython gdb vim vi nvim "
    "emacs ed ex socat java dotnet wine at batch sqlite3 psql mysql jshell ts-node tsx npx bunx "
    "uvx pipx dc ftp";

struct RunVerbs {
  std::string_view program;
  std::string_view verbs;
  /// Words that may stand before them: docker container exec.
  std::string_view nouns{};
};

/// Verbs behind which another program stands, or that start one of their own: an editor, a package.
constexpr RunVerbs kRunVerbs[] = {
    {"npm", "exec x run-script explore edit init create innit"},
    {"pnpm", "exec dlx create"},
    {"yarn", "exec dlx create node workspace workspaces plugin"},
    {"bundle", "exec"},
    {"kubectl", "exec run debug attach cp edit plugin proxy"},
    {"oc", "exec run rsh debug attach cp edit plugin proxy rsync"},
    {"docker", "run exec create attach", "container compose service stack plugin sandbox"},
    {"podman", "run exec create attach unshare ssh play", "container compose machine kube pod"},
    {"git",
     "bisect submodule for-each-repo filter-branch rebase difftool mergetool merge-index "
     "send-email"},
    {"go", "run tool"},
    {"cmake", "-E"},
    {"ip", "exec exe ex e", "netns netn net vrf vr"},
    {"helm", "plugin"},
    {"terraform", "console"},
};

/// They run none of their operands, whatever these are.
constexpr std::string_view kPlainPrograms =
    "echo printf true false test [ cat tac head tail wc cut paste tr nl fold fmt pr column expand "
    "unexpand sort uniq comm join diff diff3 cmp grep egrep fgrep rg ag ack ls dir vdir tree stat "
    "file du df find fd cp mv rm rmdir mkdir mkfifo mknod touch ln link unlink chmod chown chgrp "
    "readlink realpath basename dirname pwd tee dd truncate shred sync mktemp split csplit date "
    "cal seq yes sleep expr factor bc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum "
    "b2sum cksum sum base32 base64 basenc od hexdump xxd strings iconv dos2unix unix2dos gzip "
    "gunzip zcat bzip2 bunzip2 xz unxz zstd unzstd lz4 zip unzip tar cpio jq yq xmllint id whoami "
    "who w users groups logname hostname uname uptime free vmstat ps pgrep pkill kill killall top "
    "lsof ss netstat ip ifconfig ping traceroute dig host nslookup whois getent locale localedef "
    "printenv tty stty clear tput which whereis type apropos whatis dpkg dpkg-query "
    "apt-cache rpm gcc g++ cc c++ clang clang++ cpp ld as ar nm objdump objcopy readelf size "
    "strip ranlib addr2line ctags cscope gofmt rustc rustfmt javac pylint flake8 mypy ruff black "
    "isort eslint prettier tsc shellcheck shfmt hadolint yamllint markdownlint codespell aspell "
    "hg svn cvs bzr fossil gpg ssh-keygen ssh-keyscan ssh-add scp sftp openssl curl wget "
    "mount umount lsblk blkid fdisk lscpu lspci lsusb dmesg journalctl sed gsed less more most "
    "man info pytest rsync cmake ctest nc ncat nmap shuf";

/// A second operand of these names a file that they write.
struct SecondOperand {
  std::string_view program;
  std::string_view valued;  ///< Options whose value stands behind them.
};

constexpr SecondOperand kSecondOperands[] = {
    {"uniq", "-f -s -w --skip-fields --skip-chars --check-chars"},
    {"xxd", "-c -cols -g -groupsize -l -len -n -name -o -off -s -seek -R"},
    {"lz4", ""},
};

}  // namespace

std::string_view unversioned(std::string_view program) {
  const std::size_t end = program.find_last_not_of("0123456789.-");
  return end == std::string_view::npos ? program : program.substr(0, end + 1);
}

bool has_word(std::string_view list, std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos;
       at = list.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

const VerbModel* find_verb_program(std::string_view program) {
  for (const std::string_view name : {program, unversioned(program)}) {
    for (const VerbModel& model : kVerbPrograms) {
      if (model.name == name) return &model;
    }
  }
  return nullptr;
}

std::size_t verb_place(const std::vector<std::string>& words, const VerbModel& model,
                       bool harmless_only, bool& is_clear) {
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.starts_with("+") && model.name == "cargo" && !harmless_only) continue;
    if (!(word.size() > 1 && word[0] == '-')) break;
    if (harmless_only) {
      if (!has_word(model.harmless, word)) break;
      continue;
    }
    const std::string name = word.substr(0, word.find('='));
    if (has_word(model.valued, name)) {
      if (name.size() == word.size()) ++at;
    } else if (!has_word(model.flags, name) && !has_word(model.valued, word.substr(0, 2))) {
      is_clear = false;
    }
  }
  return std::min(at, words.size());
}

bool is_shell(std::string_view program) { return has_word(kShells, program); }

bool is_interpreter(std::string_view program) {
  return has_word(kInterpreters, program) || has_word(kInterpreters, unversioned(program));
}

bool runs_by_verb(std::string_view program, const std::vector<std::string>& words) {
  const auto* const row =
      std::find_if(std::begin(kRunVerbs), std::end(kRunVerbs),
                   [program](const RunVerbs& one) { return one.program == program; });
  if (row == std::end(kRunVerbs)) return false;
  const VerbModel* model = find_verb_program(program);
  bool may_be_value = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (has_word(row->verbs, word)) return true;
    if (has_word(row->nouns, word)) continue;
    if (word.starts_with('-')) {
      // The word behind an option that is not known may be its value, or the verb.
      const bool is_flag = model != nullptr && has_word(model->flags, word);
      may_be_value = !is_flag && word.find('=') == std::string::npos;
    } else if (!may_be_value) {
      return false;
    } else {
      may_be_value = false;
    }
  }
  return false;
}

bool is_described(std::string_view program) {
  if (has_word(kPlainPrograms, program) || find_verb_program(program) != nullptr) return true;
  return has_free_order(program);
}

bool writes_operand(std::string_view program, const std::vector<std::string>& words) {
  const auto* const row =
      std::find_if(std::begin(kSecondOperands), std::end(kSecondOperands),
                   [program](const SecondOperand& one) { return one.program == program; });
  if (row == std::end(kSecondOperands)) return false;
  std::size_t operands = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_option = words[i].size() > 1 && words[i][0] == '-';
    if (!is_option && !has_word(row->valued, words[i - 1])) ++operands;
  }
  return operands > 1;
}

bool has_free_order(std::string_view program) {
  return has_word("make gmake ninja mvn gradle", program);
}

}  // namespace filecall::client
