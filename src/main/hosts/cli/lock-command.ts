/** `ringlab lock LAB`: solves the conda environment of a lab on its nodes and keeps the exact packages with it. */
import { RinglabError } from '../../../shared/errors.ts';
import type { LabDocument } from '../../../shared/lab.ts';
import { openApp } from './open.ts';

/** One JSON object a line for each kind of node. */
export async function lockCommand(
  lab: LabDocument,
  options: Omit<Parameters<typeof openApp>[0], 'out'>,
  print: (line: string) => void,
): Promise<number> {
  if (lab.experiment.runtime?.type !== 'conda') {
    const problem = 'must be conda for a lock; the lab uses another runtime';
    throw new RinglabError('bad_request', { path: 'experiment.runtime', problem }, { where: lab.name });
  }
  const app = await openApp({ ...options, out: '.' });
  try {
    for (const lock of await app.services.provisioner.lock(lab)) {
      const libtorch = lock.packages.find(({ name }) => name === 'libtorch');
      print(
        JSON.stringify({
          platform: lock.platform,
          cuda: lock.cuda ?? null,
          channel: lock.channel,
          libtorch: libtorch === undefined ? null : `${libtorch.version} ${libtorch.build}`,
          packages: lock.packages.length,
          bytes: lock.packages.reduce((sum, { size = 0 }) => sum + size, 0),
        }),
      );
    }
    return 0;
  } finally {
    await app.close();
  }
}
