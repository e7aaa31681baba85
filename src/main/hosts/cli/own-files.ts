/**
 * Asks before local files named in a lab file are sent to nodes, or a repository is fetched with the user's git login:
 * the user chose the lab, but may not know its content. Allowed on the terminal or with `--own-files`, but not with `--yes`.
 */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { isOneProcess, trainingNodes, type LabDocument } from '../../../shared/lab/lab.ts';
import { asOneLine } from '../../../shared/base/plain-text.ts';
import type { Asker } from './terminal-prompts.ts';
import { asReached } from '../../../shared/lab/reached.ts';
import { speak } from './speak.ts';

export interface OwnFile {
  /** Or a repository's address. */
  readonly path: string;
  readonly isRepository?: boolean;
  readonly why: string;
}

/** How a command uses a lab. */
export interface Use {
  /** Nothing is sent or run: only the repository is fetched, to list what would be. */
  readonly dryRun?: boolean;
  /** A path or an address that the user has named in this very command. */
  readonly own?: string | undefined;
}

/**
 * What this lab uses of the user's when it is prepared or run: local files that are sent to other machines, and the git
 * login. Not private keys: they are only used here.
 */
export function ownFilesOf(lab: LabDocument, { dryRun = false }: Use = {}): OwnFile[] {
  const nodes = trainingNodes(asReached(lab));
  const far = nodes.filter(({ access }) => access.type === 'ssh');
  const { data, pretrained, script } = lab.experiment;
  const files: OwnFile[] = [];
  // On local nodes, too: it is fetched as the user, and its code is run as the user.
  if (script?.source.type === 'git' && nodes.length > 0)
    files.push({
      path: script.source.url.trim(),
      isRepository: true,
      why: dryRun
        ? speak('cli.files.fetchedToList')
        : speak('cli.files.fetched', { nodes: nodes.map(({ name }) => name) }),
    });
  if (far.length === 0 || dryRun) return named(files);
  if (script?.source.type === 'folder')
    files.push({
      path: script.source.path,
      why: speak('cli.files.code', { nodes: far.map(({ name }) => name) }),
    });
  // The native trainer's.
  if (script === undefined && data.type === 'upload')
    files.push({ path: data.path, why: speak('cli.files.images', { nodes: far.map(({ name }) => name) }) });
  for (const { name, kind, driverFile } of far)
    if (kind === 'gpu' && (driverFile?.trim() ?? '') !== '')
      files.push({
        path: driverFile?.trim() ?? '',
        why: speak('cli.files.driver', { node: name }),
      });
  // Rank 0's initial weights are sent to every rank.
  const isNative = script === undefined && !isOneProcess(lab);
  if (isNative && nodes[0]?.access.type === 'local' && (pretrained?.trim() ?? '') !== '')
    files.push({ path: pretrained?.trim() ?? '', why: speak('cli.files.weights') });
  return named(files);
}

const named = (files: readonly OwnFile[]): OwnFile[] => files.filter(({ path }) => path.trim() !== '');

async function kindOf({ path, isRepository }: OwnFile): Promise<string> {
  if (isRepository === true) return speak('cli.files.repository');
  const full = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  const found = await stat(full).catch(() => undefined);
  if (found === undefined) return speak('cli.files.absent');
  if (found.isDirectory()) return speak('cli.files.folder');
  return found.isFile() ? speak('cli.files.file', { size: found.size }) : speak('cli.files.odd');
}

/**
 * @param allowed `--own-files`
 * @param asker the terminal; undefined where there is none
 * @throws own_files_refused
 */
export async function allowOwnFiles(
  lab: LabDocument,
  allowed: boolean,
  asker: Asker | undefined,
  print: (text: string) => void,
  use: Use = {},
): Promise<void> {
  const files = ownFilesOf(lab, use).filter(({ path }) => path.trim() !== use.own?.trim());
  if (files.length === 0) return;
  const lines = await Promise.all(
    files.map(async (file) => `  ${asOneLine(file.path)} (${await kindOf(file)}): ${asOneLine(file.why)}\n`),
  );
  print(`${speak('cli.files.uses')}\n${lines.join('')}`);
  if (allowed) return;
  const reply = (await asker?.ask(`${speak('cli.files.mayUse')} [yes/no] `, false)) ?? '';
  if (/^y(es)?$/i.test(reply.trim())) return;
  throw new RinglabError(
    'own_files_refused',
    { what: files.map(({ path }) => asOneLine(path)).join(', ') },
    { where: lab.name },
  );
}
