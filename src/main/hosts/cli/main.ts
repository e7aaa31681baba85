/** Entry point of the command line: `npm run --silent ringlab -- <command>`. */
import {
  isCancelled,
  RinglabError,
  toWireError,
  withOutput,
  type ErrorCode,
} from '../../../shared/base/errors.ts';
import { OnLostRank, type LabDocument } from '../../../shared/lab/lab.ts';
import { RenamedCheckpoint } from '../../../shared/run/checkpoint.ts';
import { Artifact, ExportedFile } from '../../../shared/run/run.ts';
import { hangDoor } from '../terminal-door.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { commandErrorLines } from './command-error.ts';
import { AmbiguousRun } from './find-run.ts';
import { helpOf, overview } from './help.ts';
import { readLabArgument } from './lab-argument.ts';
import { allowOwnFiles, type Use } from './own-files.ts';
import { cliPlatform } from './platform.ts';
import { projectVersion } from './paths.ts';
import { scriptLab } from './script-lab.ts';
import { terminalAsker } from './terminal-prompts.ts';
import { inLanguage, speak } from './speak.ts';
import { showProblem } from './window/show-problem.ts';

const badInput: readonly ErrorCode[] = [
  'lab_unreadable',
  'lab_invalid',
  'lab_newer',
  'lab_too_large',
  'lab_has_errors',
  'file_unreadable',
  'not_found',
  'bad_request',
  'script_missing',
  'code_too_large',
  'code_link_outside',
];

/** The lab with the policy that the command line gives. */
function withLostRank(lab: LabDocument, word: string | undefined): LabDocument {
  if (word === undefined) return lab;
  const { success, data } = OnLostRank.safeParse(word);
  if (!success) throw new UsageError(speak('cli.usage.lostRank', { word, known: [...OnLostRank.options] }));
  return { ...lab, experiment: { ...lab.experiment, onLostRank: data } };
}

function runOf(word: string | undefined, command: string): string {
  if (word === undefined || word === '') throw new UsageError(speak('cli.usage.run', { command }));
  return word;
}

function artifactOf(name: string | undefined): ExportedFile | undefined {
  if (name === undefined) return undefined;
  const parsed = ExportedFile.safeParse(name);
  if (!parsed.success)
    throw new UsageError(
      speak('cli.usage.artifact', { name, known: [...Artifact.options, ...RenamedCheckpoint.options] }),
    );
  return parsed.data;
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(speak('cli.usage.port', { text: text ?? '' }));
  return port;
}

/** Each command is loaded where it is called: most need a large part of the program. */
const load = {
  bundle: () => import('./commands/bundle-command.ts'),
  check: () => import('./commands/check-command.ts'),
  cluster: () => import('./commands/cluster-command.ts'),
  diagnose: () => import('./commands/diagnose-command.ts'),
  doctor: () => import('../../app/doctor.ts'),
  estimate: () => import('./commands/estimate-command.ts'),
  export: () => import('./commands/export-command.ts'),
  kubernetes: () => import('./commands/kubernetes-command.ts'),
  labs: () => import('./commands/labs-command.ts'),
  lock: () => import('./commands/lock-command.ts'),
  open: () => import('./commands/open-command.ts'),
  prepare: () => import('./commands/prepare-command.ts'),
  rejoin: () => import('./commands/rejoin-command.ts'),
  run: () => import('./commands/run-command.ts'),
  runs: () => import('./commands/runs-command.ts'),
  serve: () => import('./commands/serve-command.ts'),
  slurm: () => import('./commands/slurm-command.ts'),
  stop: () => import('./commands/stop-command.ts'),
};

const output = {
  result: (line: string): boolean => process.stdout.write(`${line}\n`),
  remark: (line: string): boolean => process.stderr.write(`${line}\n`),
};

async function main(whole: readonly string[]): Promise<number> {
  const { values, positionals, args } = readCommandLine(whole);
  const [command, first, ...rest] = positionals;
  if (values.version) {
    process.stdout.write(`ringlab ${await projectVersion()}\n`);
    return 0;
  }
  if (values.help || command === undefined || command === 'help') {
    const asked = command === 'help' ? first : command;
    process.stdout.write((asked === undefined ? undefined : helpOf(asked)) ?? overview());
    return command === undefined && !values.help ? 2 : 0;
  }
  const artifact = command === 'export' ? rest.shift() : undefined;
  const drawing = command === 'rejoin' ? rest.shift() : undefined;
  const codeFolder = artifact === 'code' ? (rest.shift() ?? values.out) : undefined;
  if (rest.length > 0) throw new UsageError(speak('cli.usage.tooMany', { args: rest.join(' ') }));
  const { script } = values;
  const ofScript = (['nodes', 'source', 'ref', 'runtime', 'min-nodes'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (script === undefined && (ofScript !== undefined || values.torchrun || args.length > 0))
    throw new UsageError(
      speak('cli.usage.script', { option: ofScript ?? (values.torchrun ? 'torchrun' : '') }),
    );
  if (script !== undefined && (command !== 'run' || first !== undefined || values.nodes === undefined))
    throw new UsageError(speak('cli.usage.nodes'));
  const open = {
    data: values.data,
    acceptNewHostKeys: values['accept-new-host-keys'],
    allowChanges: values.yes,
    allowLending: values['lend-internet'],
  };
  /** A lab whose local files the user allowed to be sent, and whose repository to be fetched. */
  const readOwnLab = async (dryRun = false): Promise<LabDocument> => {
    const lab = await readLabArgument(first, command);
    await allow(lab, { dryRun });
    return lab;
  };
  const allow = (lab: LabDocument, use: Use = {}): Promise<void> =>
    allowOwnFiles(lab, values['own-files'], terminalAsker(), (text) => process.stderr.write(text), use);
  const readScriptLab = async (file: string): Promise<LabDocument> => {
    const { source, ref, runtime, torchrun, 'min-nodes': minNodes } = values;
    const machines = await readLabArgument(values.nodes, command);
    const lab = await scriptLab(machines, { script: file, source, ref, runtime, torchrun, minNodes, args });
    const own = lab.experiment.script?.source;
    // The user has just named it.
    await allow(lab, { own: own?.type === 'folder' ? own.path : own?.url });
    return lab;
  };
  const end = { ...open, out: values.out, chart: values.chart };
  switch (command) {
    case 'run':
      return (await load.run()).runLab(
        withLostRank(
          script === undefined ? await readOwnLab() : await readScriptLab(script),
          values['on-lost-rank'],
        ),
        { ...end, queue: values.queue },
      );
    case 'resume':
      return (await load.run()).resumeRun(runOf(first, 'resume'), end);
    case 'rejoin': {
      const run = runOf(first, 'rejoin');
      const { namedReplacement, rejoinCommand, withNewNodes } = await load.rejoin();
      const named = (values.replace ?? []).map((word) => {
        const replacement = namedReplacement(word);
        if (replacement === undefined) throw new UsageError(speak('cli.usage.replace', { word }));
        return replacement;
      });
      const lab = drawing === undefined ? undefined : await readLabArgument(drawing, 'rejoin');
      if (lab !== undefined) await allow(withNewNodes(lab, named));
      return rejoinCommand(run, named, lab, open);
    }
    case 'follow':
      return (await load.run()).followCommand(runOf(first, 'follow'), end);
    case 'stop':
      return (await load.stop()).stopCommand(runOf(first, 'stop'), values.force, open);
    case 'check':
      return values.cluster
        ? await (await load.cluster()).clusterCommand(await readLabArgument(first, 'check'), open)
        : await (await load.check()).checkCommand(await readLabArgument(first, 'check'));
    case 'estimate': {
      const lab = await readLabArgument(first, 'estimate');
      const { computeFromRuns, estimateCommand } = await load.estimate();
      const known = await computeFromRuns(await cliPlatform(values.data), lab);
      return estimateCommand(lab, known, values.sync, output);
    }
    case 'prepare':
      return (await load.prepare()).prepareCommand(
        (await load.check()).mustTrain(await readOwnLab(values['dry-run'])),
        open,
        values['dry-run'],
        (line) => process.stdout.write(`${line}\n`),
      );
    case 'lock':
      return (await load.lock()).lockCommand(
        (await load.check()).mustTrain(await readLabArgument(first, 'lock')),
        open,
        values['dry-run'],
        (line) => process.stdout.write(`${line}\n`),
      );
    case 'bundle': {
      if (values.add !== undefined)
        return (await load.bundle()).addBundle(values.add, values.programs, open, output.result);
      const lab = (await load.check()).mustTrain(await readLabArgument(first, 'bundle'));
      // What a script needs is read from its code, and kept with it.
      if (lab.experiment.script !== undefined) await allow(lab);
      return (await load.bundle()).bundleCommand(lab, values, open, output.result);
    }
    case 'serve':
      return (await load.serve()).serveCommand({
        data: values.data,
        port: portOf(values.port),
        open: !values['no-open'],
        devRenderer: values['dev-renderer'],
      });
    case 'app':
      started.window = true;
      return (await load.serve()).appCommand({
        data: values.data,
        port: portOf(values.port),
        open: !values['no-open'],
      });
    case 'open': {
      const { paths } = await cliPlatform(values.data);
      return (await load.open()).openCommand(paths.data, !values['no-open'], (line) =>
        process.stdout.write(`${line}\n`),
      );
    }
    case 'labs':
      if (first !== undefined) throw new UsageError(speak('cli.usage.tooMany', { args: first }));
      return (await load.labs()).listLabs(open, values.json, (line) => process.stdout.write(`${line}\n`));
    case 'runs':
      return first === undefined
        ? (await load.runs()).listRuns(open, values.json)
        : (await load.runs()).showRun(runOf(first, 'runs'), open, values.json);
    case 'export':
      if (values.slurm) {
        process.stdout.write((await load.slurm()).slurmScript(await readLabArgument(first, 'export')));
        return 0;
      }
      if (values.kubernetes) {
        const lab = await readLabArgument(first, 'export');
        const known = await (await load.estimate()).computeFromRuns(await cliPlatform(values.data), lab);
        return await (await load.kubernetes()).exportKubernetes(lab, artifact, values, known, output);
      }
      if (first !== undefined && artifact === 'code' && codeFolder !== undefined)
        return (await load.export()).exportCode(first, codeFolder, open);
      if (first === undefined || values.out === undefined)
        throw new UsageError(
          first === undefined ? speak('cli.usage.run', { command }) : speak('cli.usage.exportOut'),
          'export',
        );
      return (await load.export()).exportRun(first, artifactOf(artifact), values.out, open);
    case 'doctor':
      return doctor(values.data);
    case 'diagnose':
      return (await load.diagnose()).diagnoseCommand(process.stdin, (line) =>
        process.stdout.write(`${line}\n`),
      );
    default:
      throw new UsageError(speak('cli.usage.noProgram', { command }));
  }
}

async function doctor(data: string | undefined): Promise<number> {
  const { paths } = await cliPlatform(data);
  const items = await (await load.doctor()).examine(paths);
  for (const { ok, id, found, remedy, required } of items) {
    process.stdout.write(
      `${speak(`doctor.${ok ? 'ok' : required ? 'missing' : 'absent'}`).padEnd(7)}  ${id.padEnd(13)} ${inLanguage(ok ? found : remedy)}\n`,
    );
  }
  return items.every(({ ok, required }) => ok || !required) ? 0 : 1;
}

const helpFor = ({ command }: UsageError): string =>
  command === undefined ? speak('cli.usage.help') : speak('cli.usage.helpOf', { command });

/** Its errors are shown where no terminal shows them. */
const started = { window: false };
hangDoor();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError || error instanceof AmbiguousRun) {
    const more = error instanceof UsageError ? `${helpFor(error)}\n` : '';
    process.stderr.write(`ringlab: ${error.message}\n${more}`);
    process.exitCode = 2;
  } else {
    const wire = toWireError(error);
    // A bug is reported with its stack.
    const stack = error instanceof Error && !(error instanceof RinglabError) ? error.stack : undefined;
    const lines = commandErrorLines(stack === undefined ? wire : withOutput(wire, stack));
    process.stderr.write(`ringlab: ${lines.join('\n')}\n`);
    if (started.window && !process.stderr.isTTY) await showProblem(lines);
    process.exitCode =
      error instanceof RinglabError && !isCancelled(error) && badInput.includes(error.code) ? 2 : 1;
  }
}
