/**
 * Shell text of the job steps by which the staging process reaches compute nodes: one unpacks a run's files there, one sends what
 * changes to standard output, and one says that everything was taken. Pure.
 */
import { isOriginal, ownFolder, stagingFiles } from '../../../../shared/lab/slurm/slurm-staging.ts';

const { wanted, staged, ended, brought } = stagingFiles;

/** Signals to the job are for its ranks. */
const unsignalled = `trap '' HUP INT TERM`;

/** Prints the token of the start that wants its files. Argument: the run's folder. */
export const askTask = (folder: string): string => `${unsignalled}; ${ownFolder(folder)}; cat "$1/${wanted}"`;

/** What a cancelled job of the run left in a copy goes first. Arguments: the run's folder, the archive, the token. */
export const unpackTask = (folder: string): string =>
  `${unsignalled}; ${ownFolder(folder)}; ${isOriginal('"$1"')} || { rm -rf "$1"/*/ "$1"/.send-*; mkdir -p ${folder}/.ringlab && cd ${folder}/.ringlab && tar -xpf "$2"; } && rm -f "$2" && : >"$1/${staged}$3"`;

/** Arguments: the run's folder, the token. */
export const broughtTask = `${unsignalled}; : >"$1/${brought}$2"`;

/** Of `find`: files that only grow, whose new bytes are sent. All others are sent whole where they changed. */
export const growing = String.raw`\( -name '*.jsonl' -o -name log.txt \)`;

/** Rounds between two looks into the script's own folder, which may hold many files. */
const deepEvery = 15;

/**
 * Sends frames: a line `KIND FROM LENGTH NAME`, then so many bytes. `append` for files that only grow, `whole` for others, `end` when
 * the ranks have ended and all has been sent. Changed files are listed before the lines are read, and how processes ended is sent
 * last: what is known to have ended has arrived whole. Arguments: the run's folder, the token, the folders to send, those to send seldom, and `SIZE NAME` lines of what
 * is there already.
 */
export const sendTask = `${unsignalled}
cd "$1" || exit 1
token=$2 often=$3 seldom=$4 output=slurm-\${2%-*}.out
if ${isOriginal('.')}; then
  until [ -e "${ended}$token" ]; do sleep 1; done
  echo 'end 0 0 .'; exit 0
fi
# Not in /tmp, which may be small: a copy of a checkpoint is made there.
mine=$1/.send-$$
mkdir -p "$mine" || exit 1
trap 'rm -rf "$mine"' EXIT
printf '%s\\n' "$5" >"$mine/sent"
touch -r "${staged}$token" "$mine/since" && touch -r "${staged}$token" "$mine/deep" || exit 1
newline='
'
# Files that changed since a mark. Arguments: the mark, folders, conditions of find.
changed() {
  mark=$1; shift
  find "$@" -newer "$mark" -type f ! -name '*.tmp' ! -name "*$newline*"
}
whole() {
  while IFS= read -r name; do
    cp -- "$name" "$mine/file" 2>/dev/null || continue
    printf 'whole 0 %s %s\\n' "$(stat -c %s "$mine/file")" "$name"
    cat "$mine/file"
  done
}
round=0
while :; do
  last=no; [ ! -e "${ended}$token" ] || last=yes
  # A second ago: times of files are no finer than the kernel's ticks.
  touch -d "@$(($(date +%s) - 1))" "$mine/now"
  changed "$mine/since" $often ! ${growing} 2>/dev/null >"$mine/changed"
  deep=no
  if [ -n "$seldom" ] && { [ "$last" = yes ] || [ $((round % ${deepEvery})) -eq ${deepEvery - 1} ]; }; then
    deep=yes; changed "$mine/deep" "$seldom" 2>/dev/null >>"$mine/changed"
  fi
  { find $often -type f ${growing} ! -name "*$newline*" -exec stat -c '%s %n' {} + 2>/dev/null
    [ ! -e "$output" ] || stat -c '%s %n' "$output"; } >"$mine/sizes"
  awk '{ size = $1; name = substr($0, length($1) + 2) }
    FILENAME == ARGV[1] { sent[name] = size; next }
    size != sent[name] + 0 { print sent[name] + 0, size, name }' "$mine/sent" "$mine/sizes" >"$mine/grown"
  while read -r from to name; do
    if [ "$to" -lt "$from" ]; then printf '%s\\n' "$name" >>"$mine/changed"; continue; fi
    printf 'append %s %s %s\\n' "$from" "$((to - from))" "$name"
    tail -c "+$((from + 1))" -- "$name" | head -c "$((to - from))"
  done <"$mine/grown"
  mv -f "$mine/sizes" "$mine/sent"
  # How a process ended arrives after all that it wrote.
  grep -v '/exit\\.json$' "$mine/changed" | whole
  grep '/exit\\.json$' "$mine/changed" | whole
  [ "$deep" = no ] || cp -p "$mine/now" "$mine/deep"
  mv -f "$mine/now" "$mine/since"
  [ "$last" = no ] || { echo 'end 0 0 .'; exit 0; }
  round=$((round + 1))
  sleep 1
done
`;
