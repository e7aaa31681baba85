/** Provides the Python of an environment of wheels: one that is on the node, else uv's own, else the distribution's. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { hasApt, installPackages, type PackageNames } from '../download/packages.ts';
import { runLasting } from '../node/lasting.ts';
import { known, type StepContext } from '../engine/step.ts';
import { uvWork, type UvFolders } from './uv-folders.ts';
import { bringPythonScript, failureReason, findPythonScript } from './wheels-commands.ts';

/** Copies of python-build-standalone, from which uv gets Python where GitHub is not reached. */
const pythonMirrors = [
  'https://mirror.nju.edu.cn/github-release/astral-sh/python-build-standalone',
  'https://registry.npmmirror.com/-/binary/python-build-standalone',
];
const pythonPackages: readonly PackageNames[] = [['python3']];

/**
 * @param python what uv is asked for
 * @throws wheels_no_python
 */
export async function ensurePython(
  context: StepContext,
  uv: string,
  folders: UvFolders,
  python: string,
): Promise<void> {
  const { shell, work, status } = context;
  const facts = known(work, 'facts');
  const look = async (): Promise<boolean> => {
    const found = await shell.exec(findPythonScript(uv, folders, python), {
      label: `look for Python ${python}`,
    });
    return found.code === 0;
  };
  if (await look()) return;
  let reason = '';
  for (const mirror of [undefined, ...pythonMirrors]) {
    const result = await runLasting(
      { shell, facts },
      bringPythonScript(uv, folders, python, mirror),
      { name: uvWork(facts), stop: 'at once' },
      {
        label: `uv python install${mirror === undefined ? '' : ` --mirror ${mirror}`} '${python}'`,
        timeoutMs: 30 * 60_000,
        online: true,
      },
    );
    if (result.code === 0 && (await look())) return;
    if (reason === '') reason = failureReason(result.stderr);
  }
  if (hasApt(facts) && (facts.root || facts.sudo !== 'none')) {
    status.log.add('uv’s own Python did not come: the distribution’s is installed');
    await installPackages(context, pythonPackages, 'wheels_no_python');
    if (await look()) return;
  }
  throw new RinglabError('wheels_no_python', { python, reason });
}
