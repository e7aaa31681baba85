/** Writes every rank's exact command as a POSIX shell script that can be run by hand. Pure. */
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import { asReached } from '../../../shared/lab/reached.ts';
import { asOneLine } from '../../../shared/base/plain-text.ts';
import { shellQuote } from '../../ssh/index.ts';
import { assignmentWord } from './python-path.ts';

/** `sh commands.sh 0` on rank 0's machine, `sh commands.sh 1` on rank 1's, and so on. */
export function commandScript(run: RunRecord): string {
  // Their values are in no file: who starts it by hand sets them.
  const secrets = (run.lab.experiment.script?.environment ?? [])
    .filter(({ secret }) => secret === true)
    .map(({ name }) => name);
  const header = [
    '#!/bin/sh',
    `# Ringlab run ${asOneLine(run.id)}: ${asOneLine(run.name)}`,
    `# ${run.ranks.length} ranks, attempt ${run.attempt}${run.master === undefined ? '' : `, rendezvous at ${asOneLine(run.master.host)}:${run.master.port}`}`,
    '#',
    '# Start every rank on its own machine, all within a minute:',
    ...run.ranks.map((rank) => {
      const node = asReached(run.lab).nodes.find((candidate) => candidate.id === rank.nodeId);
      return `#   ${asOneLine(rank.nodeName)}${node === undefined ? '' : ` (${asOneLine(placeOf(node))})`}: sh commands.sh ${rank.rank}`;
    }),
    '',
    ...(run.ranks.some((rank) => secretOf(rank) !== undefined) ? [secretFunctions] : []),
    ...(secrets.length > 0 && run.ranks.some(({ enter }) => enter !== undefined) ? [keepFunction] : []),
  ];
  return casesScript(
    header,
    run.ranks.map((rank) =>
      rankCase(rank, [...secretLines(run, rank), ...mustBeSet(secrets)], '', enterLines(rank, secrets)),
    ),
  );
}

const mustBeSet = (secrets: readonly string[]): string[] =>
  secrets.map((name) => `    : "\${${name}:?set this secret variable first}"`);

/**
 * Starts the script again in the rank's namespace, before variables are set: sudo, which enters it, drops them. Secret ones get there by
 * a file, which is removed at once.
 */
function enterLines({ enter, directory }: RankRecord, secrets: readonly string[]): string[] {
  if (enter === undefined) return [];
  const again = `exec ${enter} sh "$0" "$1" entered`;
  const file = `${shellQuote(directory)}/variables-$$`;
  return [
    '    if [ "${2:-}" != entered ]; then',
    ...(secrets.length === 0
      ? [`      ${again}`]
      : [
          ...mustBeSet(secrets).map((line) => `  ${line}`),
          `      ${enter} true && mkdir -p ${shellQuote(directory)} || exit 1`,
          `      keep_variables ${file} ${secrets.join(' ')}`,
          `      ${again} ${file}`,
        ]),
    '    fi',
    ...(secrets.length === 0 ? [] : ['    . "$3" && rm -f "$3" || exit 1']),
  ];
}

/** What is written of a rank's command. */
type WrittenRank = Pick<RankRecord, 'rank' | 'argv' | 'env' | 'directory' | 'workingDirectory'>;

/**
 * The case of a rank: in its folder, with its variables.
 * @param before lines that run in the folder first
 * @param more shell text after its arguments
 * @param first lines that run before all others, in the folder where the script was started
 */
export function rankCase(
  rank: WrittenRank,
  before: readonly string[],
  more = '',
  first: readonly string[] = [],
): string {
  return [
    `  ${rank.rank})`,
    ...first,
    `    mkdir -p ${shellQuote(rank.directory)} && cd ${shellQuote(rank.directory)} || exit 1`,
    ...before,
    ...Object.entries(rank.env).map(
      ([name, value]) => `    export ${assignmentWord(name, value, shellQuote)}`,
    ),
    ...(rank.workingDirectory === undefined ? [] : [`    cd ${shellQuote(rank.workingDirectory)} || exit 1`]),
    `    exec ${rank.argv.map(shellQuote).join(' ')}${more}`,
    '    ;;',
  ].join('\n');
}

/** A script whose first argument is the rank. */
export const casesScript = (header: readonly string[], cases: readonly string[]): string =>
  [
    ...header,
    'case "$1" in',
    ...cases,
    '  *)',
    `    echo "usage: sh commands.sh RANK   (0 to ${cases.length - 1})" >&2`,
    '    exit 2',
    '    ;;',
    'esac',
    '',
  ].join('\n');

const keepFunction = `# Secret variables reach the rank's network by a file that you alone may read: they are no argument of any command.
keep_variables() {
  file=$1; shift
  rm -f "$file"
  ( umask 077 && for name in "$@"; do
    eval "value=\\$$name"
    printf "export %s='" "$name" && printf %s "$value" | sed "s/'/'\\\\\\\\''/g" && echo "'" || exit 1
  done >"$file" ) || exit 1
}
`;

/** The file of the run's secret that this rank reads; undefined where its arguments name none. */
function secretOf({ argv }: RankRecord): string | undefined {
  const at = argv.indexOf('--secret-file');
  return at < 0 ? undefined : argv[at + 1];
}

/** The app's own secret of this run was deleted with its ranks: a start by hand uses a new one. */
const secretFunctions = `# With a secret the ranks prove to each other that they belong to this run. It lies in a file that you alone may read, and is
# no argument of any command. Rank 0 makes one where there is none; ranks on other machines ask for it.
make_secret() {
  [ -s "$1" ] && return
  ( umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \\n' >"$1.tmp" && echo >>"$1.tmp" && mv -f "$1.tmp" "$1" ) || exit 1
  echo "Made a secret for this run in $PWD/$1. Ranks on other machines ask for it: cat shows it to you." >&2
}
copy_secret() {
  tries=0
  while [ ! -s "$2" ] && [ "$tries" -lt 60 ]; do
    [ "$tries" -eq 0 ] && echo "Waiting for rank 0, which makes this run's secret: $2" >&2
    tries=$((tries + 1)); sleep 1
  done
  ( umask 077 && cat "$2" >"$1.tmp" && mv -f "$1.tmp" "$1" ) || exit 1
}
ask_secret() {
  [ -s "$1" ] && return
  if ! ( : </dev/tty ) 2>/dev/null; then
    echo "Put this run's secret, $2 on rank 0's machine, into $PWD/$1 (chmod 600), or start this on a terminal, which asks for it." >&2
    exit 1
  fi
  printf "This run's secret, which is in %s on rank 0's machine: " "$2" >/dev/tty
  stty -echo </dev/tty; IFS= read -r secret </dev/tty; stty echo </dev/tty; echo >/dev/tty
  ( umask 077 && cat >"$1.tmp" <<END && mv -f "$1.tmp" "$1"
$secret
END
  ) || exit 1
}
`;

/** Copied from rank 0's folder where that is on the same machine, else entered by the user. */
function secretLines(run: RunRecord, rank: RankRecord): string[] {
  const file = secretOf(rank);
  const [rank0] = run.ranks;
  if (file === undefined || rank0 === undefined) return [];
  if (rank.rank === rank0.rank) return [`    make_secret ${shellQuote(file)}`];
  const isLocal = ({ nodeId }: RankRecord): boolean =>
    asReached(run.lab).nodes.find((node) => node.id === nodeId)?.access.type === 'local';
  const isNear = rank.nodeId === rank0.nodeId || (isLocal(rank) && isLocal(rank0));
  return [
    `    ${isNear ? 'copy' : 'ask'}_secret ${shellQuote(file)} ${shellQuote(`${rank0.directory}/${file}`)}`,
  ];
}

function placeOf(node: LabNode): string {
  if (node.access.type === 'local') return 'this computer';
  const { user, host, port } = node.access;
  return `ssh -p ${port} ${shellQuote(`${user}@${host}`)}`;
}
