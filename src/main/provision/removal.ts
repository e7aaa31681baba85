/** 'Remove Ringlab from this node': what the app has put there is listed, and after the person's consent it is gone. */
import { RinglabError } from '../../shared/errors.ts';
import type { NodeFacts } from '../../shared/provision.ts';
import { lastWords, shellQuote } from '../ssh/index.ts';
import { nonfreeList, nouveauFile, type PlannedChange } from './driver-plan.ts';
import type { NodeShell } from './node-shell.ts';
import type { NodeRights } from './rights.ts';

const systemFiles = [nonfreeList, nouveauFile];

/** `live FOLDER` for each rank that runs, `kib N`, `file PATH` for each file outside the app's folder. */
const lookScript = `
for file in ${systemFiles.map(shellQuote).join(' ')}; do [ -e "$file" ] && echo "file $file"; done
cd "$HOME/.ringlab" 2>/dev/null || exit 0
here=$(pwd -P)
for file in runs/*/rank-*/pid runs/*/monitor/pid; do
  read -r pid < "$file" || continue
  [ "$(readlink "/proc/$pid/cwd")" = "$here/\${file%/pid}" ] && echo "live \${file%/pid}"
done 2>/dev/null
echo "kib $(du -sk . 2>/dev/null | cut -f 1)"
`;

export interface Removal {
  readonly freedBytes: number;
}

/**
 * Packages and drivers that were installed with the person's consent stay: others may need them by now.
 * @throws node_in_use where a run is alive there, consent_refused; nothing is removed then
 */
export async function removeFromNode(
  shell: NodeShell,
  facts: NodeFacts,
  rights: NodeRights,
  signal: AbortSignal,
): Promise<Removal> {
  const said = (await shell.run(lookScript, { label: 'look for what Ringlab has put here' })).split('\n');
  const all = (word: string): string[] =>
    said.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const live = all('live');
  if (live.length > 0) throw new RinglabError('node_in_use', { runs: live.join(', ') });
  const bytes = Number(all('kib')[0] ?? 0) * 1024;
  const files = all('file');
  const changes: PlannedChange[] = [
    ...(bytes === 0 ? [] : [ownFolder(facts.home, bytes)]),
    ...(files.length === 0 ? [] : [outside(files)]),
  ];
  if (changes.length > 0) await rights.allow('remove', changes, signal);
  for (const { command } of changes) {
    const own = command.includes('/.ringlab');
    const result = own
      ? await shell.exec(command, { timeoutMs: 30 * 60_000 })
      : await rights.root(shell, facts, command, { timeoutMs: 10 * 60_000 });
    if (result.code !== 0)
      throw new RinglabError(
        'command_failed',
        { command, code: result.code ?? 'signal' },
        { detail: lastWords(result) },
      );
  }
  await rights.forget();
  return { freedBytes: bytes };
}

const ownFolder = (home: string, bytes: number): PlannedChange => {
  const size = `${(bytes / 1e6).toFixed(0)} MB`;
  return {
    what: {
      en: `Remove Ringlab’s own folder with trainers, environments, data, and runs with their checkpoints (${size})`,
      'zh-CN': `删除 Ringlab 自己的文件夹：训练程序、运行环境、数据以及各次运行及其检查点（${size}）`,
    },
    command: `rm -rf ${shellQuote(`${home}/.ringlab`)}`,
  };
};

const outside = (files: readonly string[]): PlannedChange => ({
  what: {
    en: 'Remove the settings that Ringlab added to the system; installed packages and drivers stay',
    'zh-CN': '删除 Ringlab 添加的系统设置；已安装的软件包与驱动保留',
  },
  command: `rm -f ${files.map(shellQuote).join(' ')}${files.includes(nouveauFile) ? '\nif command -v update-initramfs >/dev/null 2>&1; then update-initramfs -u; fi' : ''}`,
});
