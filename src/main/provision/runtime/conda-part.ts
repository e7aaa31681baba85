/** Sends the conda packages of a bundle into a local channel on the node, as far as they are missing there. */
import { packagesFolder } from '../../base/node-layout.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { LockedPackage } from './lock.ts';
import { inWords, type PlannedChange } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { phrase } from '../../i18n/index.ts';

/** The bundle's files of these packages; undefined where one is missing. */
async function bundled(
  store: Pick<BundleStore, 'read' | 'path'>,
  packages: readonly LockedPackage[],
): Promise<{ file: string; size: number; sha256: string }[] | undefined> {
  const { conda } = await store.read();
  // The lock has the hash; a different file under the same name does not count.
  const objects = packages.flatMap(({ file, size = 0, sha256 }) =>
    conda[file] === sha256 ? [{ file, size, sha256 }] : [],
  );
  return objects.length === 0 || objects.length < packages.length ? undefined : objects;
}

const folderOf = ({ work }: StepContext): string => packagesFolder(known(work, 'facts').home, 'conda');

/** micromamba requests a channel's index even where every package is named. */
function channelScript(folder: string, packages: readonly LockedPackage[]): string {
  const platforms = [...new Set([...packages.map(({ file }) => file.split('/')[0] ?? ''), 'noarch'])];
  return `cd ${shellQuote(folder)} && for name in ${platforms.map(shellQuote).join(' ')}; do
  mkdir -p $name; [ -e $name/repodata.json ] || echo '{"packages":{},"packages.conda":{}}' > $name/repodata.json
done`;
}

/** What `sendCondaPackages` would do. */
export async function planCondaPackages(
  context: StepContext,
  store: Pick<BundleStore, 'read' | 'path'>,
  packages: readonly LockedPackage[],
): Promise<PlannedChange[]> {
  if ((await bundled(store, packages)) === undefined) return [];
  const folder = folderOf(context);
  return [
    inWords(phrase('changes.bundle.conda', { count: packages.length, folder })),
    {
      what: phrase('changes.bundle.channel'),
      command: channelScript(folder, packages),
    },
  ];
}

/** The channel's address on the node; undefined where the bundle lacks a package. */
export async function sendCondaPackages(
  context: StepContext,
  store: Pick<BundleStore, 'read' | 'path'>,
  packages: readonly LockedPackage[],
): Promise<string | undefined> {
  const objects = await bundled(store, packages);
  if (objects === undefined) return undefined;
  const { shell, status } = context;
  const folder = folderOf(context);
  const total = objects.reduce((sum, { size }) => sum + size, 0);
  let [done, sent] = [0, 0];
  for (const { file, size, sha256 } of objects) {
    const one = await shell.upload({ path: store.path(sha256) }, `${folder}/${file}`, { quiet: true });
    sent += one.sent;
    done += size;
    status.progress(done, total, 'bytes');
  }
  await shell.run(channelScript(folder, packages), {
    label: phrase('nodeCommands.channel', { folder }),
    quiet: true,
  });
  status.log.add(phrase('stepLog.bundledPackages', { count: objects.length, bytes: sent }));
  return `file://${folder}`;
}
