/** `ringlab bundle LAB [--out FOLDER]`, `ringlab bundle --add FOLDER [--programs]`: what nodes without internet need, beforehand. */
import type { LabDocument } from '../../../shared/lab.ts';
import { openApp } from './open.ts';

type Options = Omit<Parameters<typeof openApp>[0], 'out'>;

/** One JSON object. */
export async function bundleCommand(
  lab: LabDocument,
  out: string | undefined,
  options: Options,
  print: (line: string) => void,
): Promise<number> {
  const app = await openApp({ ...options, out: '.' });
  try {
    const { folder, index } = await app.services.provisioner.bundle(lab, out);
    const packages = index.apt.flatMap((part) => part.packages);
    print(
      JSON.stringify({
        folder,
        systems: index.apt.map(({ system, arch }) => `${system} ${arch}`),
        packages: packages.length,
        bytes: packages.reduce((sum, { size }) => sum + size, 0),
        conda: Object.keys(index.conda).length,
        micromamba: Object.keys(index.micromamba),
        trainers: index.trainers.length,
      }),
    );
    return 0;
  } finally {
    await app.close();
  }
}

/** One JSON object: objects and bytes that were new, and programs that were left because `programs` did not ask for them. */
export async function addBundle(
  folder: string,
  programs: boolean,
  options: Options,
  print: (line: string) => void,
): Promise<number> {
  const app = await openApp({ ...options, out: '.' });
  try {
    const taken = await app.services.provisioner.takeBundle(folder, { programs });
    print(JSON.stringify(taken));
    if (taken.programsLeft > 0)
      process.stderr.write(
        `${taken.programsLeft} programs (trainers, micromamba) were left out: nodes would run them, and only the bundle says who made them. With --programs they are taken; this computer never runs its trainers.\n`,
      );
    return 0;
  } finally {
    await app.close();
  }
}
