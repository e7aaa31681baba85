/**
 * Implements 'Remove Ringlab from this node': lists what the app has put there and removes it after the user's
 * consent. Where `~/.ringlab` is a symbolic link, removes our part of its target. Reports what remains, and measures
 * the freed space.
 */
import {
  installingInShell,
  ownNames,
  ringlabFolder,
  ringlabInHome,
  ringlabInShell,
  unmistakableNames,
} from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { lastWords, processFunctions, shellQuote } from '../../ssh/index.ts';
import { rootCopies } from '../download/node-repository.ts';
import { listTunnels, removeTunnels } from '../network/tunnel/index.ts';
import { nonfreeFiles } from '../driver/debian-components.ts';
import { nouveauFile } from '../driver/driver-changes.ts';
import type { RunnableChange } from '../node/planned-change.ts';
import { codeOf, type NodeShell } from '../node/node-shell.ts';
import type { NodeRights } from '../node/rights.ts';
import { phrase } from '../../i18n/index.ts';

const systemFiles = [...nonfreeFiles, nouveauFile, rootCopies];
/** Maximum number of listed entries. */
const maxStaying = 20;

/**
 * Prints `live FOLDER` for each rank that runs; `installing NAME (process NUMBER)` for each installation
 * (lasting.ts); `file PATH` for each file outside the app's folder; `folder PATH`, the resolved folder; `link yes`
 * where it is a link; `own NAME` for each entry to remove, and `size KIB` for what removing them frees: a file with links elsewhere,
 * as nodes of this computer share them, frees nothing; `whole yes` where nothing else is in it; `stays WHY PATH` for what remains. WHY is `other` (not Ringlab's), `owner` (another user's), `mount`, or `link` (only the link
 * is removed).
 */
const lookScript = `
${processFunctions('/proc/sys/kernel/random/boot_id')}
for file in ${systemFiles.map(shellQuote).join(' ')}; do [ -e "$file" ] && echo "file $file"; done
supervisor_of() { tr '\\0' '\\n' <"$1" 2>/dev/null | sed -n 2p; }
# What root runs has a record that root alone may read; what a process was started with is open to all.
for process in $(grep -slE '/(installing|run/ringlab/.*)/[^/]*/run[.][0-9]' /proc/[0-9]*/cmdline); do
  supervisor=$(supervisor_of "$process")
  place=\${supervisor%/run.*}
  case $place in
    ${installingInShell})
      # A child that it has just made is the same program until it begins its own.
      parent=$(sed -n 's/^PPid:[^0-9]*//p' "\${process%cmdline}status" 2>/dev/null)
      [ "$(supervisor_of "/proc/$parent/cmdline")" = "$supervisor" ] && continue
      number=\${process#/proc/}
      name=\${place##*/}
      # Without the machine's part.
      echo "installing \${name%-????????} (process \${number%/cmdline})";;
  esac
done
own=${ringlabInShell}
[ -L "$own" ] || [ -e "$own" ] || exit 0
[ -L "$own" ] && echo 'link yes'
cd "$own" 2>/dev/null || exit 0
here=$(pwd -P)
echo "folder $here"
for file in runs/*/rank-*/pid runs/*/monitor*/pid runs/*/collect*/pid; do
  pid=$(field pid "$file")
  [ -n "$pid" ] && same_process "$pid" "$(field boot_id "$file")" "$(field start_ticks "$file")" && echo "live \${file%/pid}"
done
names=' ${ownNames.join(' ')} '
if [ -L "$own" ]; then
  # A folder that others use too may have a data or a build of its own.
  for entry in * .[!.]* ..?*; do
    [ -e "$entry" ] || [ -L "$entry" ] || continue
    case $names in *" $entry "*) ;; *) names=' ${unmistakableNames.join(' ')} ';; esac
  done
  [ -O . ] || names=' ${unmistakableNames.join(' ')} '
  case $HOME/ in "$here"/*) names=' ';; esac
fi
freed() {
  # Busybox has no -printf: there each file is counted.
  if ! find "$1" -maxdepth 0 -printf '' 2>/dev/null; then du -skxc "$@" 2>/dev/null | tail -n 1 | cut -f 1; return; fi
  find "$@" -xdev -printf '%y %n %D:%i %k\\n' 2>/dev/null | awk '
    $1 == "d" { sum += $4; next }
    { seen[$3]++; links[$3] = $2; kib[$3] = $4 }
    END { for (file in seen) if (seen[file] >= links[file]) sum += kib[file]; printf "%d\\n", sum }'
}
set --
whole=yes
for entry in * .[!.]* ..?*; do
  [ -e "$entry" ] || [ -L "$entry" ] || continue
  path=$here/$entry
  if [ -L "$own" ]; then
    case $names in *" $entry "*) ;; *) whole=no; echo "stays other $path"; continue;; esac
  fi
  if [ ! -L "$entry" ] && [ ! -O "$entry" ]; then whole=no; echo "stays owner $path"; continue; fi
  mounted=no
  while read -r device place rest; do
    place=$(printf '%b' "$place")
    case $place/ in "$path"/*) mounted=yes; echo "stays mount $place";; esac
  done < /proc/mounts
  [ $mounted = no ] || { whole=no; continue; }
  [ -L "$entry" ] && echo "stays link $(readlink -f "$entry")"
  set -- "$@" "./$entry"
  echo "own $entry"
done
[ $# -eq 0 ] || echo "size $(freed "$@")"
echo "whole $whole"
`;

interface Found {
  readonly folder: string | undefined;
  readonly isLink: boolean;
  readonly isWhole: boolean;
  /** Names of entries of the folder. */
  readonly own: readonly string[];
  /** That removing them frees. */
  readonly bytes: number;
  readonly stays: readonly Staying[];
  readonly files: readonly string[];
  readonly live: readonly string[];
  readonly installing: readonly string[];
  /** Interfaces of this data folder's labs. */
  readonly tunnels: readonly string[];
}

interface Staying {
  readonly path: string;
  readonly why: 'other' | 'owner' | 'mount' | 'link';
}

export interface Removal {
  /** Measured: the size before, minus the remaining size. */
  readonly freedBytes: number;
  readonly stays: Staying[];
}

const isWhy = (text: string): text is Staying['why'] => /^(?:other|owner|mount|link)$/.test(text);

async function look(shell: NodeShell, owner: string): Promise<Found> {
  const options = { label: phrase('nodeCommands.remains'), timeoutMs: 30 * 60_000 };
  const lines = (await shell.run(`${listTunnels(owner)}\n${lookScript}`, options)).split('\n');
  const all = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    folder: all('folder').find((path) => /^\/[^\p{Cc}]{0,1023}$/u.test(path)),
    isLink: all('link')[0] === 'yes',
    isWhole: all('whole')[0] === 'yes',
    own: all('own').filter((name) => !/\p{Cc}/u.test(name)),
    bytes: 1024 * Number(all('size').find((kib) => /^\d{1,15}$/.test(kib)) ?? 0),
    stays: all('stays').flatMap((line) => {
      const [why = '', ...path] = line.split(' ');
      return isWhy(why) ? [{ why, path: path.join(' ').slice(0, 400) }] : [];
    }),
    files: all('file').filter((path) => systemFiles.includes(path)),
    live: all('live'),
    installing: all('installing'),
    tunnels: all('tunnel').filter((name) => /^rlwg[0-9a-f]{10}$/.test(name)),
  };
}

/**
 * Packages and drivers installed with the user's consent stay: other programs may need them.
 * @throws node_in_use where a run is alive there, installation_running, consent_refused; nothing is removed then
 */
export async function removeFromNode(
  shell: NodeShell,
  facts: NodeFacts,
  rights: NodeRights,
  owner: string,
  signal: AbortSignal,
): Promise<Removal> {
  const before = await look(shell, owner);
  if (before.live.length > 0) throw new RinglabError('node_in_use', { runs: before.live.join(', ') });
  if (before.installing.length > 0)
    throw new RinglabError('installation_running', { what: before.installing.join(', ') });
  const own = ownFolder(facts.home, before);
  const changes: RunnableChange[] = [
    ...(own === undefined ? [] : [own]),
    ...(before.files.length === 0 && before.tunnels.length === 0 ? [] : [outside(before)]),
  ];
  if (changes.length > 0) await rights.allow('remove', changes, signal);
  let failed: RinglabError | undefined;
  for (const change of changes) {
    const { command } = change;
    const result =
      change === own
        ? await shell.exec(command, { timeoutMs: 30 * 60_000 })
        : await rights.root(shell, facts, command, { timeoutMs: 10 * 60_000 });
    if (result.code !== 0)
      failed ??= new RinglabError(
        'command_failed',
        { command, code: codeOf(result) },
        { detail: lastWords(result) },
      );
  }
  const after = await look(shell, owner);
  // What the command could not remove is still there, for whatever reason.
  if (failed !== undefined && (after.own.length > 0 || after.files.length > 0 || after.tunnels.length > 0))
    throw failed;
  await rights.forget();
  return {
    freedBytes: Math.max(0, before.bytes - after.bytes),
    stays: before.stays.slice(0, maxStaying),
  };
}

/** The exact command; does not cross mount points. Undefined where nothing is ours. */
function ownFolder(home: string, found: Found): RunnableChange | undefined {
  const { folder, isLink, isWhole, own } = found;
  if (folder === undefined && !isLink) return undefined;
  const link = shellQuote(ringlabFolder(home));
  const entries = own.map((name) => shellQuote(`${folder ?? ''}/${name}`)).join(' ');
  const size = `${(found.bytes / 1e6).toFixed(0)} MB`;
  const stays = found.stays.map(({ path }) => path).slice(0, maxStaying);
  const leaves = stays.length === 0 ? '' : phrase('changes.remove.stays', { paths: stays });
  if (!isLink) {
    if (!isWhole && entries === '') return undefined;
    return {
      what: phrase('changes.remove.folder', { size, stays: leaves }),
      command: isWhole ? `rm -rf ${link}` : `rm -rf ${entries}`,
    };
  }
  const target = shellQuote(folder ?? '');
  return {
    what: phrase('changes.remove.link', {
      link: ringlabInHome,
      folder: folder ?? phrase('changes.remove.nothing'),
      size,
      stays: leaves,
    }),
    command: [
      ...(entries === '' ? [] : [`rm -rf ${entries}`]),
      `rm -f ${link}`,
      ...(isWhole && folder !== undefined ? [`rmdir ${target}`] : []),
    ].join(' && '),
  };
}

const outside = ({ files, tunnels }: Found): RunnableChange => ({
  what: phrase('changes.remove.settings'),
  command: `${tunnels.length === 0 ? '' : `( ${removeTunnels(tunnels)} ) || exit 1\n`}rm -rf ${files.map(shellQuote).join(' ')}${files.includes(nouveauFile) ? '\nif command -v update-initramfs >/dev/null 2>&1; then update-initramfs -u; fi' : ''}`,
});
