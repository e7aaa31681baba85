/** The conda packages of a bundle: sent into a channel of the node's own folder, as far as they are missing there. */
import { shellQuote } from '../../ssh/index.ts';
import type { LockedPackage } from '../runtime/index.ts';
import { known, type StepContext } from '../step.ts';
import type { BundleStore } from './store.ts';

/** The channel's address on the node; undefined where the bundle lacks one of the packages. */
export async function sendCondaPackages(
  context: StepContext,
  store: Pick<BundleStore, 'read' | 'path'>,
  packages: readonly LockedPackage[],
): Promise<string | undefined> {
  const { conda } = await store.read();
  // The lock says which content is meant; a bundle that has another one under that name does not have it.
  const objects = packages.flatMap(({ file, size = 0, sha256 }) =>
    conda[file] === sha256 ? [{ file, size, sha256 }] : [],
  );
  if (objects.length === 0 || objects.length < packages.length) return undefined;
  const { shell, status, work } = context;
  const folder = `${known(work, 'facts').home}/.ringlab/packages/conda`;
  const total = objects.reduce((sum, { size }) => sum + size, 0);
  let [done, sent] = [0, 0];
  for (const { file, size, sha256 } of objects) {
    const one = await shell.upload({ path: store.path(sha256) }, `${folder}/${file}`, { quiet: true });
    sent += one.sent;
    done += size;
    status.progress(done, total, 'bytes');
  }
  // micromamba asks a channel for its list even where every package is named.
  const platforms = [...new Set([...packages.map(({ file }) => file.split('/')[0] ?? ''), 'noarch'])];
  await shell.run(
    `cd ${shellQuote(folder)} && for name in ${platforms.map(shellQuote).join(' ')}; do
  mkdir -p $name; [ -e $name/repodata.json ] || echo '{"packages":{},"packages.conda":{}}' > $name/repodata.json
done`,
    { label: `make the channel ${folder}`, quiet: true },
  );
  status.log.add(`from the bundle: ${objects.length} packages, ${sent} bytes sent`);
  return `file://${folder}`;
}
