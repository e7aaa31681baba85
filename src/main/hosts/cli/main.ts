/** The command line: `npm run --silent ringlab -- <command>`. */
import { parseArgs } from 'node:util';
import { RinglabError, toWireError, isCancelled, type ErrorCode } from '../../../shared/errors.ts';
import { describeError } from '../../../shared/error-texts.ts';
import type { LabDocument } from '../../../shared/lab.ts';
import { Artifact } from '../../../shared/run.ts';
import { examine } from '../../doctor.ts';
import { readLabFile } from '../../lab/index.ts';
import { addBundle, bundleCommand } from './bundle-command.ts';
import { checkCommand } from './check-command.ts';
import { diagnoseCommand } from './diagnose-command.ts';
import { computeFromRuns, estimateCommand } from './estimate-command.ts';
import { cliPlatform, openApp } from './open.ts';
import { lockCommand } from './lock-command.ts';
import { openCommand } from './open-command.ts';
import { prepareCommand } from './prepare-command.ts';
import { runLab } from './run-command.ts';
import { serveCommand } from './serve-command.ts';

const usage = `Ringlab: a desktop lab for distributed deep learning.

  ringlab run LAB [--out DIR] [--chart]     run a lab file; the last line of stdout is one JSON object
  ringlab check LAB                         say what is wrong with a lab file
  ringlab estimate LAB [--sync MODE]        what a step will cost over the drawn links: one JSON object
  ringlab prepare LAB [--dry-run]           bring the lab’s nodes to ready; or only list what would be done
  ringlab lock LAB                          solve the lab’s conda environment on its nodes, and keep it
  ringlab bundle LAB [--out FOLDER]         fetch what its nodes would need without internet; preparing uses it
  ringlab bundle --add FOLDER [--programs]  take over a bundle that was made elsewhere; with --programs its trainers
                                            and micromamba, too, where you trust who made it
  ringlab serve [--port N] [--no-open]      the window in a browser of this computer
  ringlab open [--no-open]                  a new address for the window that is served, and the browser on it
  ringlab runs [--json]                     the runs that are stored
  ringlab export RUN --out DIR              model_best, checkpoint, metrics and commands of a run
  ringlab doctor                            what is missing on this machine
  ringlab diagnose < LOG                    known failures in a tool's output, a JSON object a line

  --data DIR                  the data folder (else RINGLAB_DATA, else the system's usual place)
  --accept-new-host-keys      trust SSH host keys never seen before; changed ones are still refused
  -y, --yes                   allow what nodes need: packages, drivers, a reboot; each is still listed
  --lend-internet             let nodes that the lab says have no internet use this computer’s connection
  -h, --help                  this text

Exit codes: 0 done, 1 failed or stopped (diagnose: nothing recognised), 2 bad input.
`;

const options = {
  out: { type: 'string' },
  add: { type: 'string' },
  programs: { type: 'boolean', default: false },
  chart: { type: 'boolean', default: false },
  sync: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  port: { type: 'string' },
  'no-open': { type: 'boolean', default: false },
  'dev-renderer': { type: 'string' },
  json: { type: 'boolean', default: false },
  data: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  'accept-new-host-keys': { type: 'boolean', default: false },
  'lend-internet': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What the person typed wrong: one line and exit 2. */
class UsageError extends Error {}

const badInput: readonly ErrorCode[] = [
  'lab_unreadable',
  'lab_invalid',
  'lab_newer',
  'lab_too_large',
  'lab_has_errors',
  'file_unreadable',
  'not_found',
  'bad_request',
];

const readLab = (path: string | undefined, command: string): Promise<LabDocument> => {
  if (path === undefined) throw new UsageError(`a lab file is missing: ringlab ${command} LAB`);
  return readLabFile(path);
};

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not “${text ?? ''}”`);
  return port;
}

async function main(argv: readonly string[]): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const { values, positionals } = parsed;
  const [command, first, ...rest] = positionals;
  if (values.help || command === undefined || command === 'help') {
    process.stdout.write(usage);
    return command === undefined && !values.help ? 2 : 0;
  }
  if (rest.length > 0) throw new UsageError(`too many arguments: ${rest.join(' ')}`);
  const open = {
    data: values.data,
    acceptNewHostKeys: values['accept-new-host-keys'],
    allowChanges: values.yes,
    allowLending: values['lend-internet'],
  };
  switch (command) {
    case 'run':
      return runLab(await readLab(first, 'run'), { ...open, out: values.out, chart: values.chart });
    case 'check':
      return checkCommand(await readLab(first, 'check'));
    case 'estimate': {
      const lab = await readLab(first, 'estimate');
      const { paths } = await cliPlatform({ data: values.data, out: '.' });
      return estimateCommand(lab, await computeFromRuns(paths.data, lab), values.sync, {
        result: (line) => process.stdout.write(`${line}\n`),
        remark: (line) => process.stderr.write(`${line}\n`),
      });
    }
    case 'prepare':
      return prepareCommand(await readLab(first, 'prepare'), open, values['dry-run'], (line) =>
        process.stdout.write(`${line}\n`),
      );
    case 'lock':
      return lockCommand(await readLab(first, 'lock'), open, (line) => process.stdout.write(`${line}\n`));
    case 'bundle': {
      const print = (line: string): boolean => process.stdout.write(`${line}\n`);
      return values.add === undefined
        ? bundleCommand(await readLab(first, 'bundle'), values.out, open, print)
        : addBundle(values.add, values.programs, open, print);
    }
    case 'serve':
      return serveCommand({
        data: values.data,
        port: portOf(values.port),
        open: !values['no-open'],
        devRenderer: values['dev-renderer'],
      });
    case 'open': {
      const { paths } = await cliPlatform({ data: values.data, out: '.' });
      return openCommand(paths.data, !values['no-open'], (line) => process.stdout.write(`${line}\n`));
    }
    case 'runs':
      return listRuns(open, values.json);
    case 'export':
      if (first === undefined || values.out === undefined)
        throw new UsageError('ringlab export RUN --out DIR');
      return exportRun(open, first, values.out);
    case 'doctor':
      return doctor(values.data);
    case 'diagnose':
      return diagnoseCommand(process.stdin, (line) => process.stdout.write(`${line}\n`));
    default:
      throw new UsageError(
        `unknown command “${command}”; known: run, check, estimate, prepare, lock, bundle, serve, open, runs, export, doctor, diagnose`,
      );
  }
}

type Open = Pick<
  Parameters<typeof openApp>[0],
  'data' | 'acceptNewHostKeys' | 'allowChanges' | 'allowLending'
>;

async function listRuns(open: Open, json: boolean): Promise<number> {
  const app = await openApp({ ...open, out: '.' });
  try {
    const runs = await app.api.call('run.list', {});
    if (json) process.stdout.write(`${JSON.stringify(runs)}\n`);
    else if (runs.length === 0) process.stdout.write('No runs yet.\n');
    for (const run of json ? [] : runs) {
      const top1 = typeof run.bestTop1 === 'number' ? `${run.bestTop1.toFixed(2)} %` : '–';
      const when = new Date(run.createdAt * 1000).toISOString().slice(0, 16).replace('T', ' ');
      process.stdout.write(
        `${run.id}  ${when}  ${run.state.padEnd(11)}  ${run.epochsCompleted}/${run.epochs} epochs  top-1 ${top1}  ${run.name}\n`,
      );
    }
    return 0;
  } finally {
    await app.close();
  }
}

async function exportRun(open: Open, runId: string, out: string): Promise<number> {
  const app = await openApp({ ...open, out });
  try {
    await app.api.call('run.get', { runId });
    let saved = 0;
    for (const artifact of Artifact.options) {
      try {
        const delivery = await app.api.call('run.export', { runId, artifact });
        process.stdout.write(`${delivery.savedTo ?? delivery.name}\n`);
        saved += 1;
      } catch (error) {
        // A run without a checkpoint still has its metrics to take home.
        process.stderr.write(`${describeError(toWireError(error), 'en').message}\n`);
      }
    }
    return saved > 0 ? 0 : 1;
  } finally {
    await app.close();
  }
}

async function doctor(data: string | undefined): Promise<number> {
  const { paths } = await cliPlatform({ data, out: '.' });
  const items = await examine(paths);
  for (const { ok, id, found, remedy, required } of items) {
    process.stdout.write(
      `${ok ? 'ok     ' : required ? 'missing' : 'absent '}  ${id.padEnd(13)} ${ok ? found : remedy}\n`,
    );
  }
  return items.every(({ ok, required }) => ok || !required) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`ringlab: ${error.message}\nringlab --help lists everything.\n`);
    process.exitCode = 2;
  } else {
    const { message, hint } = describeError(toWireError(error), 'en');
    const detail =
      error instanceof RinglabError ? error.detail : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`ringlab: ${message}\n${hint}\n${detail === undefined ? '' : `${detail}\n`}`);
    process.exitCode =
      error instanceof RinglabError && !isCancelled(error) && badInput.includes(error.code) ? 2 : 1;
  }
}
