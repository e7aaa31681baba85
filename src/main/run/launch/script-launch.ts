/** What a run of an own script needs on its nodes before its processes start, and their commands. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { scriptFiles } from '../../../shared/lab/script-check.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { codeCopy, copiedMark } from '../../base/node-layout.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import { lastWords, shellQuote, type SshSession } from '../../ssh/index.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import type { PlannedRank } from './command.ts';
import { sendPythonPackage } from './python-package.ts';
import { patternsFile, ringMbps, scriptCommand } from './script-command.ts';

export interface ScriptLaunch {
  /** Makes the run's copy of the code on each node, and keeps with the run what the code was. */
  bring(ready: ReadyLab): Promise<void>;
  planned(
    script: Script,
    ready: ReadyLab,
    places: readonly PlannedRank[],
    records: readonly RankRecord[],
  ): Promise<RankRecord[]>;
}

const patienceMs = 600_000;
/** Of the script's own text, which is searched for an option. */
const maxText = 4 * 1024 ** 2;

/** The name of the file in the run's folder on this computer with what differed from the commit. */
export const diffFile = 'code.diff';

/**
 * Copies, instead of links, since a script may write into its own files; to a name of its own first, since two drawn
 * nodes may share a home, and their machines may give their processes the same number. A later attempt goes on in the same copy, with what the earlier one wrote. On the disk before it is
 * used: after a power cut empty files would be a script that does nothing and ends well. Its mark is newer than what was sent.
 */
export const copyScript = (from: string, to: string, nodeId: string): string => `
[ -d ${shellQuote(to)} ] && exit 0
part=${shellQuote(`${to}.part-${nodeId}-`)}$$
mkdir -p "$(dirname "$part")" && cp -R ${shellQuote(from)} "$part" && chmod -R u+w "$part" && rm -f "$part"/.ringlab-manifest && : >"$part"/${copiedMark} || { rm -rf "$part"; exit 1; }
sync -f "$part" 2>/dev/null || sync
mv -T "$part" ${shellQuote(to)} 2>/dev/null || rm -rf "$part"
[ -d ${shellQuote(to)} ]`;

/** '' where no such file can be read. */
export async function scriptText(
  root: string,
  script: Pick<Script, 'file' | 'workingFolder'>,
): Promise<string> {
  for (const file of scriptFiles(script)) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (text !== undefined) return text.slice(0, maxText);
  }
  return '';
}

export function createScriptLaunch({
  services,
  keeper,
  signal,
}: {
  readonly services: RunServices;
  readonly keeper: RecordKeeper;
  readonly signal: AbortSignal;
}): ScriptLaunch {
  const { reach, events, store, pythonSource } = services;
  const { lab, id } = keeper.current;
  const packages = new Map<string, string>();

  const bringTo = async ({ node, facts, codeFolder }: ReadyNode): Promise<void> => {
    if (codeFolder === undefined) throw new RangeError(`${node.name} has no code`);
    const session = await reach.session(lab, node.id, signal);
    const bringing = bringPackage(session, node);
    // It never rejects but where the run is aborted, which the commands below notice, too.
    bringing.catch(() => undefined);
    const result = await session.exec(copyScript(codeFolder, codeCopy(facts.home, id), node.id), {
      signal,
      timeoutMs: patienceMs,
    });
    if (result.code !== 0)
      throw new RinglabError(
        'command_failed',
        { code: result.code ?? -1, command: `cp -R ${codeFolder}` },
        { where: node.name, detail: lastWords(result) },
      );
    const patterns = lab.experiment.script?.patterns ?? [];
    if (patterns.length > 0)
      await session.upload({ bytes: Buffer.from(JSON.stringify(patterns)) }, patternsFile(facts.home, id), {
        signal,
      });
    await bringing;
  };
  const bringPackage = async (session: SshSession, node: LabNode): Promise<void> => {
    if (pythonSource === undefined) return;
    try {
      packages.set(node.id, await sendPythonPackage(session, { source: pythonSource, who: node.id, signal }));
    } catch (error) {
      signal.throwIfAborted();
      // A script that does not use the package runs without it.
      events.emit('app.problem', { error: { ...toWireError(error), where: node.name } });
    }
  };
  return {
    async bring({ nodes, code }) {
      if (code === undefined) throw new RangeError('an own script has its code');
      await Promise.all(nodes.map(bringTo));
      if (code.diff !== undefined) await writeFile(join(store.runFolder(id), diffFile), code.diff);
      await keeper.change((run) => ({ ...run, code: run.code ?? code.code }));
    },
    async planned(script, ready, places, records) {
      const root = ready.code?.manifest.root ?? '';
      const text = await scriptText(root, script);
      const { attempt } = keeper.current;
      const start = { runId: id, attempt, text, packages, ringMbps: ringMbps(lab, ready) };
      return places.map((place, index) => {
        const record = records[index];
        if (record === undefined) throw new RangeError(`no record for rank ${place.rank}`);
        return { ...record, ...scriptCommand(lab, script, ready, place, record.directory, start) };
      });
    },
  };
}
