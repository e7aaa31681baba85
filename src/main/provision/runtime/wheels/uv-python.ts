/** Provides the Python of an environment of wheels: one that is on the node, else uv's own, else the distribution's. */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { hasApt } from '../../download/has-apt.ts';
import { installPackages, systemPythonPackages } from '../../download/packages.ts';
import { runLasting } from '../../node/lasting.ts';
import { known, type StepContext } from '../../engine/step.ts';
import { pythonMirrors } from './python-builds.ts';
import { uvWork, type UvFolders } from './uv-folders.ts';
import { bringPythonScript, failureReason, findPythonScript } from './wheels-commands.ts';
import { phrase } from '../../../i18n/index.ts';

/** @returns whether the distribution's Python can be installed, and is there now: then it may fit, or not */
export async function installSystemPython(context: StepContext): Promise<boolean> {
  const facts = known(context.work, 'facts');
  if (!hasApt(facts) || (!facts.root && facts.sudo === 'none')) return false;
  context.status.log.add(phrase('stepLog.systemPython'));
  await installPackages(context, systemPythonPackages, 'wheels_no_python');
  return true;
}

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
  const { shell, work } = context;
  const facts = known(work, 'facts');
  const look = async (): Promise<boolean> => {
    const found = await shell.exec(findPythonScript(uv, folders, python), {
      label: phrase('nodeCommands.python', { python }),
    });
    return found.code === 0;
  };
  if (await look()) return;
  let reason = '';
  for (const mirror of [undefined, ...pythonMirrors]) {
    const result = await runLasting(
      { shell, facts },
      bringPythonScript(uv, folders, python, mirror),
      { name: uvWork, stop: 'at once' },
      {
        label: `uv python install${mirror === undefined ? '' : ` --mirror ${mirror}`} '${python}'`,
        timeoutMs: 30 * 60_000,
        online: true,
      },
    );
    if (result.code === 0 && (await look())) return;
    if (reason === '') reason = failureReason(result.stderr);
  }
  if ((await installSystemPython(context)) && (await look())) return;
  throw new RinglabError('wheels_no_python', { python, reason });
}

/**
 * Which Python that is: `3.11`.
 * @throws command_failed
 */
export async function pythonLine(
  { shell }: StepContext,
  uv: string,
  folders: UvFolders,
  python: string,
): Promise<string> {
  const found = (await shell.run(findPythonScript(uv, folders, python))).trim();
  const program = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const said = (await shell.run(`${shellQuote(found)} -c ${shellQuote(program)}`)).trim();
  if (/^3\.\d{1,2}$/.test(said)) return said;
  throw new RinglabError('wheels_no_python', { python, reason: said.slice(0, 200) });
}
