/** An environment of wheels from a bundle: what is sent to a node without internet, as far as it is missing there. */
import { packagesFolder } from '../../../base/node-layout.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { BundledWheel, WheelsPart } from '../../bundle/index-file.ts';
import type { BundleStore } from '../../bundle/contract.ts';
import { runLasting } from '../../node/lasting.ts';
import { inWords, type PlannedChange } from '../../node/planned-change.ts';
import { known, type StepContext } from '../../engine/step.ts';
import { phrase } from '../../../i18n/index.ts';
import { pythonArchive } from './python-builds.ts';
import { uvWork, type UvFolders } from './uv-folders.ts';
import { installSystemPython } from './uv-python.ts';
import { bringPythonScript, failureReason, findPythonScript } from './wheels-commands.ts';

export interface BundledWheels {
  readonly store: BundleStore;
  readonly part: WheelsPart;
}

/** The bundle's environment of a content; undefined where it has none. @param wanted the content's hash */
export async function bundledWheels(
  { bundle, work, status }: StepContext,
  wanted: string,
): Promise<BundledWheels | undefined> {
  if (bundle === undefined) return undefined;
  const { arch } = known(work, 'facts');
  const ofArch = (await bundle.read()).wheels.filter((one) => one.arch === arch);
  const part = ofArch.find(({ content }) => content === wanted);
  if (part !== undefined) return { store: bundle, part };
  if (ofArch.length > 0) status.log.add(phrase('stepLog.otherEnvironments', { count: ofArch.length }));
  return undefined;
}

export const totalBytes = ({ wheels }: Pick<WheelsPart, 'wheels'>): number =>
  wheels.reduce((sum, { size }) => sum + size, 0);

/** Exactly these packages, with their hashes. */
export function pinnedPackages({ wheels }: Pick<WheelsPart, 'wheels'>): string {
  const packages = new Map<string, string[]>();
  for (const { name, version, sha256 } of wheels) {
    const key = `${name}==${version}`;
    packages.set(key, [...(packages.get(key) ?? []), `--hash=sha256:${sha256}`]);
  }
  return [...packages].map(([key, hashes]) => `${[key, ...hashes].join(' ')}\n`).join('');
}

/** The folder on the node with the bundle's wheels. */
export const wheelsOnNode = ({ work }: StepContext): string =>
  packagesFolder(known(work, 'facts').home, 'wheels');

/** What `sendWheels` would do. */
export const planBundledWheels = (
  context: StepContext,
  { part }: BundledWheels,
): readonly PlannedChange[] => [
  inWords(phrase('changes.bundle.python', { python: part.python })),
  inWords(phrase('changes.bundle.wheels', { count: part.wheels.length, folder: wheelsOnNode(context) })),
];

/** @returns the folder on the node that has all wheels */
export async function sendWheels(context: StepContext, { store, part }: BundledWheels): Promise<string> {
  const { shell, status } = context;
  const folder = wheelsOnNode(context);
  const total = totalBytes(part);
  let [done, sent] = [0, 0];
  const send = async ({ file, sha256, size }: BundledWheel): Promise<void> => {
    sent += (await shell.upload({ path: store.path(sha256) }, `${folder}/${file}`, { quiet: true })).sent;
    done += size;
    status.progress(done, total, 'bytes');
  };
  for (const wheel of part.wheels) await send(wheel);
  status.log.add(phrase('stepLog.bundledWheels', { count: part.wheels.length, bytes: sent }));
  return folder;
}

/**
 * The Python that the wheels are for: the node's own, else uv's from the bundle, whose hash uv verifies, else the distribution's, whose
 * packages are in the bundle, too.
 * @throws wheels_no_python
 */
export async function ensureBundledPython(
  context: StepContext,
  uv: string,
  folders: UvFolders,
  { store, part: { python } }: BundledWheels,
): Promise<void> {
  const { shell, work } = context;
  const facts = known(work, 'facts');
  const look = async (): Promise<boolean> => {
    const script = findPythonScript(uv, folders, python);
    return (await shell.exec(script, { label: phrase('nodeCommands.python', { python }) })).code === 0;
  };
  if (await look()) return;
  const archive = pythonArchive(python, facts.arch);
  const { pythons } = await store.read();
  if (archive === undefined || pythons[archive.path] !== archive.sha256) {
    const none = new RinglabError('wheels_no_python', {
      python,
      reason: phrase('reasons.bundleHasNoPython'),
    });
    const installed = await installSystemPython(context).catch((error: unknown) => {
      throw error instanceof RinglabError && error.code === 'node_offline' ? none : error;
    });
    if (installed && (await look())) return;
    throw none;
  }
  const mirror = packagesFolder(facts.home, 'pythons');
  await shell.upload({ path: store.path(archive.sha256) }, `${mirror}/${archive.path}`, {
    quiet: true,
  });
  const result = await runLasting(
    { shell, facts },
    bringPythonScript(uv, folders, python, `file://${mirror}`),
    { name: uvWork, stop: 'at once' },
    { label: phrase('nodeCommands.bundledPython', { python }), timeoutMs: 30 * 60_000 },
  );
  if (result.code !== 0 || !(await look()))
    throw new RinglabError('wheels_no_python', { python, reason: failureReason(result.stderr) });
}
