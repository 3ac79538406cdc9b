// SPDX-License-Identifier: MIT
// Options of programs that run another one, read settings from elsewhere or write a file.
#include "client/approval/core/escape_models.h"

namespace filecall::client {
namespace {

// From the manual pages of the programs in Debian 12, and from the help of those that it lacks.
constexpr EscapeRow kEscapes[] = {
    {"git", "",
     "--config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec "
     "--ext-diff --textconv --output --output-directory --open-files-in-pager --extcmd --template "
     "--config --run-command --show-signature --separate-git-dir --gpg-sign --local-user "
     "--strategy "
     "--paginate --unsafe-paths --index-output --export-marks --signed --httpd --browser --web "
     "--filters --edit --edit-description --sendmail-cmd --to-cmd --cc-cmd --header-cmd "
     "--smtp-server"},
    {"git", "archive", "-o --remote"},
    {"git", "clone", "-u -c"},
    {"git", "fetch", "-u"},
    {"git", "pull", "-s -S -u"},
    {"git", "merge", "-s -S -e"},
    {"git", "cherry-pick", "-s -S -e"},
    {"git", "revert", "-s -S -e"},
    {"git", "commit", "-S -e -t -p -c"},
    {"git", "add", "-e -i -p --edit --interactive --patch"},
    {"git", "tag", "-s -u -v -e --verify"},
    {"git", "ls-remote", "-u"},
    {"git", "rebase", "-x -i -s -S"},
    {"git", "grep", "-O"},
    {"git", "help", "-w"},
    {"git", "difftool", "-x -t --tool"},
    {"git", "mergetool", "-t --tool"},
    {"git", "format-patch", "-o"},
    {"git", "bugreport", "-o"},
    {"git", "diagnose", "-o"},
    {"hg", "",
     "-R --repository --cwd --config -e --ssh --remotecmd -o --output -p --program --extcmd "
     "--style "
     "-T --template --logfile --command --debugger --profile --prefix"},
    {"svn", "", "--diff-cmd --diff3-cmd --editor-cmd --config-dir --config-option --targets"},
    {"cvs", "", "-d -e -T"},
    {"bzr fossil", "", "-d -R --directory --repository --using"},
    {"find", "", "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"},
    {"fd fdfind", "", "-x --exec -X --exec-batch"},
    {"rg", "", "--pre --hostname-bin --search-zip -z --pre-glob"},
    {"ag ack bat batcat delta", "", "--pager --paging --ackrc --env"},
    {"sort", "", "--compress-program -o --output -T --temporary-directory"},
    {"shuf", "", "-o --output"},
    {"sed gsed", "", "-i --in-place -f --file -s --separate"},
    {"tar", "",
     "-I --use-compress-program --checkpoint-action --to-command -F --info-script "
     "--new-volume-script --rsh-command --rmt-command -C --directory -T --files-from --index-file "
     "--volno-file -g --listed-incremental -P --absolute-names --one-top-level --remove-files "
     "--recursive-unlink"},
    {"cpio", "", "--rsh-command --rmt-command -D --directory -F --file -O -I"},
    {"rsync", "",
     "-e --rsh --rsync-path --remote-option -M --write-batch --only-write-batch --read-batch "
     "--log-file --backup-dir -T --temp-dir --partial-dir --copy-dest --link-dest --daemon "
     "--password-file --files-from --early-input --remove-source-files --delete --delete-after "
     "--no-dry-run --no-n --no-d --server --config --dparam"},
    {"man apropos whatis", "",
     "-P --pager -H --html -l --local-file -C --config-file -X --gxditview -p --preprocessor -M "
     "--manpath -t --troff -T --troff-device"},
    {"info", "", "-o --output --dribble --restore --init-file -d --directory"},
    {"base64 basenc base32", "", "-o --output"},
    {"date", "", "-s --set -f --file"},
    {"hostname", "", "-F --file -b --boot"},
    {"tree", "", "-o -R"},
    {"zip", "",
     "-TT --unzip-command -T --test -b --temp-path -O --output-file -lf --logfile-path -m --move"},
    {"unzip", "", "-d"},
    {"zstd unzstd", "", "-o --output-dir-flat --output-dir-mirror --rm --filelist"},
    {"csplit", "", "-f --prefix"},
    {"dos2unix unix2dos", "", "-n --newfile"},
    {"curl", "",
     "-o -O -K --output --config --remote-name --remote-name-all -T --upload-file --output-dir -d "
     "--data --data-ascii --data-binary --data-raw --data-urlencode --json --url-query --variable "
     "-F --form --form-string --proxy --preproxy -x --unix-socket --abstract-unix-socket -c "
     "--cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts "
     "--alt-svc -w --write-out -Q --quote -X --request -E --cert --key --engine --netrc-file "
     "--mail-from --upload-flags -H --header -J --remote-header-name"},
    {"wget", "",
     "-O --output-document -o --output-file -a --append-output --post-file --post-data --body-file "
     "--body-data --method -e --execute --use-askpass -i --input-file -P --directory-prefix "
     "--config --warc-file --warc-tempdir --warc-dedup --save-cookies --hsts-file --rejected-log"},
    {"go", "",
     "-exec -toolexec -overlay -o -vettool -modfile -C -outputdir -coverprofile -cpuprofile "
     "-memprofile -blockprofile -mutexprofile -trace -pkgdir -ldflags -gcflags -asmflags "
     "-gccgoflags -compiler -gocoverdir -debug-trace -debug-actiongraph -debug-runtime-trace"},
    {"gofmt", "", "-w -cpuprofile"},
    {"cmake", "",
     "-P -E -C -D -G -T --toolchain --trace-redirect --graphviz --profiling-output "
     "--install-prefix --prefix --open --debugger-pipe"},
    {"ctest", "",
     "-S --script -SP --script-new-process --build-and-test --build-makeprogram --test-command -D "
     "--dashboard -T --test-action -M --test-model -A --add-notes -O --output-log --output-junit "
     "--overwrite --test-dir --resource-spec-file --launch"},
    {"gradle gradlew", "",
     "-I --init-script -b --build-file -c --settings-file -p --project-dir -D --system-prop -P "
     "--project-prop -g --gradle-user-home --include-build --project-cache-dir"},
    {"mvn mvnw", "",
     "-f --file -s --settings -gs --global-settings -t --toolchains -gt --global-toolchains -D "
     "--define -l --log-file -b --builder"},
    {"split", "", "--filter"},
    {"iconv", "", "-o --output"},
    {"yq", "", "-i --inplace --in-place -s --split-exp --split-exp-file --from-file"},
    {"nc ncat", "", "-e -c --exec --sh-exec --lua-exec -o --output -x --hex-dump"},
    {"nmap", "", "--script -oN -oX -oG -oA -oS -iL --datadir --servicedb --resume --stylesheet"},
    {"tcpdump", "", "-z -w -W -Z -F"},
    {"ninja", "", "-f -C"},
    {"cargo", "",
     "--config -Z -C --target-dir --manifest-path --out-dir --artifact-dir --root --path --git "
     "--index --registry --lockfile-path"},
    {"cargo", "", "--fix"},
    {"cargo", "clippy", "--"},
    {"cargo", "rustc", "--"},
    {"cargo", "rustdoc", "--"},
    {"cmake", "", "--"},
    {"hg", "bisect", "-c"},
    {"npm", "", "-w --workspace --workspaces -ws --include-workspace-root"},
    {"npm", "",
     "--script-shell --prefix -C --registry --userconfig --globalconfig --node-options --cache "
     "--editor --git --shell --viewer --browser --node-gyp --python --init-module --init.module "
     "--logs-dir --tmp --cafile --proxy --https-proxy --unsafe-perm --call"},
    {"pnpm", "",
     "-C --dir --prefix --config -c --shell-mode --script-shell --modules-dir --store-dir "
     "--virtual-store-dir --global-dir --pnpmfile --global-pnpmfile --registry"},
    {"yarn", "",
     "--cwd --modules-folder --cache-folder --registry --use-yarnrc --script-shell "
     "--preferred-cache-folder --global-folder --link-folder"},
    {"make gmake", "",
     "-f --file --makefile --eval -E -C --directory -I --include-dir -o --old-file --assume-old"},
    {"pytest py.test", "",
     "-p -c --rootdir -o --override-ini --confcutdir --basetemp --pdbcls --pastebin --junitxml "
     "--junit-xml --log-file --report-log --resultlog --html --json-report-file --cov-config "
     "--cov-report --debug --pyargs --inifile"},
    {"docker", "", "-H --host --config -c --context --tlscacert --tlscert --tlskey"},
    {"podman", "",
     "--connection --identity --url --root --runroot --runtime --runtime-flag --conmon --hooks-dir "
     "--module --network-cmd-path --storage-opt --volumepath --ssh --tmpdir"},
    {"docker podman", "build",
     "-f --file -o --output --secret --iidfile --metadata-file --hooks-dir"},
    {"docker podman", "compose", "-f --file --project-directory --env-file"},
    {"docker podman", "save", "-o"},
    {"docker podman", "export", "-o"},
    {"kubectl oc", "",
     "--kubeconfig --kuberc --server -s --token --context --cluster --as --as-group --as-uid "
     "--user "
     "--username --password --log-file --log-dir --profile --profile-output --cache-dir "
     "--client-key --client-certificate --certificate-authority --raw --editor --edit"},
    {"helm", "",
     "--post-renderer --kubeconfig --kube-context --kube-apiserver --kube-as-user --kube-as-group "
     "--kube-ca-file --kube-token --registry-config --repository-config --repository-cache "
     "--output-dir --keyring --ca-file --key-file --repo -d --destination"},
    {"jq", "", "-f --from-file -L --library-path"},
    {"ip", "", "-b -ba -bat -batc -batch"},
    {"ss", "", "-K --kill -D --diag"},
    {"openssl", "", "-engine -provider -provider-path -config -out -keyout -writerand -CAout"},
    {"ssh scp sftp", "", "-o -F -S -J -E -O -D -L -R -W -b"},
    {"ssh-keygen", "", "-D -w -f -O"},
    {"ssh-add", "", "-s -S"},
    {"gpg gpg2", "",
     "-o --output --exec-path --photo-viewer --agent-program --dirmngr-program --options --homedir "
     "--log-file --logger-file --status-file --attribute-file --passphrase-file --keyserver"},
    {"gcc g++ cc c++ clang clang++ cpp", "",
     "-wrapper -fplugin -B -specs --specs -o --output -Wl, -Wa, -Wp, -Xlinker -Xassembler "
     "-Xpreprocessor -Xclang -fuse-ld -ld-path --ld-path -save-temps --save-temps -dumpdir -MF -MD "
     "-MMD -aux-info -fdump -T -load -fpass-plugin -plugin -iplugindir -fprofile -ftime-trace "
     "--config -gcc-toolchain --gcc-toolchain -no-integrated-cpp -ccc -serialize-diagnostics"},
    {"ld", "",
     "-o --output -plugin --plugin -T --script -Map --Map -c --mri-script --dependency-file "
     "--out-implib --base-file"},
    {"as strip", "", "-o --MD"},
    {"nm ar ranlib size objdump objcopy strip", "",
     "--plugin --dump-section --add-section --output"},
    {"rustc", "", "-o --out-dir -C --codegen -L --extern -Z --emit --sysroot -l"},
    {"rustfmt", "", "--config --config-path"},
    {"java", "", "-javaagent -agentlib -agentpath -XX -Xlog -D -cp -classpath -jar"},
    {"javac", "",
     "-processor -processorpath --processor-path --processor-module-path -d -s -h -J -A -Xplugin "
     "-cp -classpath --class-path -sourcepath --source-path --module-path -p -bootclasspath "
     "-Xbootclasspath -endorseddirs"},
    {"ctags cscope", "", "-f -F -o --options --options-maybe --optlib-dir"},
    {"less more most", "",
     "-o -O --log-file -k --lesskey-file --lesskey-src --lesskey-content -T --tag-file"},
    {"diff diff3 sdiff", "", "--to-file --output -o --diff-program -l --paginate"},
    {"xxd", "", "-r -revert"},
    {"uniq", "", "--output"},
    {"file", "", "-C --compile -m --magic-file -z --uncompress -Z --uncompress-noreport"},
    {"column", "", "--output-file"},
    {"xmllint", "", "-o --output --shell --path --load-trace"},
    {"pylint", "", "--load-plugins --rcfile --init-hook --output -f --output-format"},
    {"flake8", "", "--config --append-config --output-file --require-plugins --enable-extensions"},
    {"mypy", "",
     "--config-file --python-executable --junit-xml --html-report --txt-report --xml-report "
     "--any-exprs-report --linecount-report --lineprecision-report --cobertura-xml-report "
     "--xslt-html-report --xslt-txt-report --cache-dir --cache-map --install-types --shadow-file "
     "--custom-typeshed-dir --custom-typing-module"},
    {"ruff black isort", "",
     "--config -c --code -o --output-file --cache-dir --fix --fix-only --unsafe-fixes --add-noqa "
     "--settings-path --settings-file --sp --settings"},
    {"eslint", "",
     "-c --config --rulesdir --plugin --parser --resolve-plugins-relative-to --fix -o "
     "--output-file "
     "-f --format --cache-location --cache-file --init --inspect-config --flag"},
    {"prettier", "", "-w --write --plugin --plugin-search-dir --config --cache-location"},
    {"tsc", "",
     "-p --project --outDir --outFile -b --build --init --declarationDir --tsBuildInfoFile "
     "--generateTrace --generateCpuProfile --plugins --rootDir"},
    {"shellcheck", "", "-x --external-sources --rcfile"},
    {"shfmt", "", "-w --write"},
    {"hadolint yamllint", "", "-c --config -d --config-data --config-file"},
    {"markdownlint", "", "-c --config -r --rules -f --fix -o --output -p"},
    {"codespell", "", "-w --write-changes -i --interactive --config --toml"},
    {"aspell", "",
     "-c --conf --per-conf --add-filter-path --filter-path --data-dir --dict-dir --home-dir "
     "--local-data-dir"},
    {"phpunit paratest", "",
     "-c --configuration --bootstrap --include-path -d --printer --extension --prepend --loader "
     "--log-junit --log-teamcity --coverage-html --coverage-clover --coverage-php "
     "--cache-directory"},
    {"jest vitest mocha rspec", "", "-c -r -R -I -O -o --file --package -u --ui --out"},
    {"apt apt-get apt-cache", "", "-o --option -c --config-file"},
    {"dpkg", "",
     "--pre-invoke --post-invoke --admindir --root --instdir --log --status-logger --force-all -i "
     "--install --unpack -A --record-avail --configure --triggers-only -r --remove -P --purge "
     "--update-avail --merge-avail --clear-avail --set-selections --clear-selections -x --extract "
     "-X --vextract -e --control -b --build"},
    {"rpm", "",
     "-e --erase -i --install -U --upgrade -F --freshen --reinstall -E --eval -D --define --pipe "
     "--rcfile --macros --load --root --dbpath --import --initdb --rebuilddb --restore --setperms "
     "--setugids --predefine --delete"},
    {"systemctl", "", "-H --host -M --machine --root --image"},
    {"journalctl", "",
     "--vacuum-size --vacuum-time --vacuum-files --rotate --setup-keys --relinquish-var --sync "
     "--flush --update-catalog --cursor-file -D --directory --root --image --file -M --machine"},
    {"dmesg", "", "-C --clear -c --read-clear -D -E -n --console-level --console-off --console-on"},
    {"terraform tofu", "",
     "-chdir -plugin-dir -backend-config -out -state -state-out -backup -var-file -from-module "
     "-generate-config-out"},
    {"pip", "",
     "--python --log --cache-dir --target -t --prefix --root -r --requirement -c --constraint -e "
     "--editable --index-url -i --extra-index-url -f --find-links --proxy --src -C "
     "--config-settings --global-option --build-option --report --trusted-host --cert"},
};

}  // namespace

std::span<const EscapeRow> escape_rows() { return kEscapes; }

}  // namespace filecall::client
