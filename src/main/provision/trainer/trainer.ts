/**
 * The trainer step: sends this computer's binary where the node's make is the same, else an earlier build that may
 * run there (trainer-origin.ts), else sends the sources, builds there, and stores the result.
 */
import { buildFolder as buildFolderIn, trainerFolder } from '../../base/node-layout.ts';
import { lineOf, type Phrase } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { installLine, runtimePackages } from '../download/packages.ts';
import { libtorchAssignments, type Libtorch } from '../node/libtorch.ts';
import type { TrainerSources } from './sources.ts';
import { known, type Foreseeing, type Step, type StepContext } from '../engine/step.ts';
import { ifForeseen, inWords, uploadWords, type RunnableChange } from '../node/planned-change.ts';
import { buildOnNode, planBuild } from './trainer-build.ts';
import { buildersFor, machineIn, originWords, runnerOf, type Runner } from '../node/trainer-origin.ts';
import type { ShelvedTrainer, TrainerShelf } from './trainer-shelf.ts';
import { compareVersions } from '../node/versions.ts';
import { fingerprintOf, makeFor, versionSaid } from './trainer-version.ts';
import { createOnce } from '../../base/once.ts';
import { phrase } from '../../i18n/index.ts';

export interface TrainerStepOptions {
  readonly shelf: Pick<TrainerShelf, 'find' | 'withheld' | 'keep'>;
  /** Read again each time: a developer may change them while the app runs. */
  readonly sources: () => Promise<TrainerSources>;
}

/** The state of the trainer's file on the node. */
interface Found {
  readonly sha256: string | undefined;
  /** The hash recorded after a successful start, and in `.built-by` the machine that built it. */
  readonly proven: string | undefined;
  /** Its output of `--version`, where it was started. */
  readonly said: string;
  /** The loader's error about libtorch; undefined where it loads, or was not started. */
  readonly unloadable: string | undefined;
}

/** Condition for starting a file, even for its version only. */
type StartIf =
  /** It is identical to what was sent. */
  | { readonly sha256: string }
  /** It was started before, and one of these machines built it. */
  | { readonly builtBy: readonly string[] }
  | 'never';

const startTest = (startIf: StartIf): string => {
  if (startIf === 'never') return 'false';
  if ('sha256' in startIf) return `[ "$sum" = ${startIf.sha256} ]`;
  const machines = startIf.builtBy.map((machine) => `[ "$by" = ${shellQuote(machine)} ]`);
  return `[ "$sum" = "$proven" ] && { ${machines.join(' || ')}; }`;
};

const lookScript = (path: string, startIf: StartIf, libtorch: Libtorch | undefined): string => `
t=${shellQuote(path)}
[ -f "$t" ] || { echo absent; exit 0; }
sum=$(sha256sum < "$t" | cut -d ' ' -f 1); echo "sha256 $sum"
proven=$(cat "$t.sha256" 2>/dev/null); by=$(cat "$t.built-by" 2>/dev/null); echo "proven $proven"
${startTest(startIf)} || exit 0
${libtorchAssignments(libtorch)}"$t" --version 2>&1
# Its version needs no libtorch, its work does.
why=$(${libtorchAssignments(libtorch)}"$t" facts --load 2>&1 >/dev/null) || echo "unloadable $why"
`;

async function look({ shell, work }: StepContext, path: string, startIf: StartIf): Promise<Found> {
  const { stdout } = await shell.ask(lookScript(path, startIf, work.libtorch), {
    label: phrase('nodeCommands.lookAt', { path }),
  });
  const word = (name: string): string | undefined =>
    new RegExp(`^${name} ([0-9a-f]{64})$`, 'm').exec(stdout)?.[1];
  return {
    sha256: word('sha256'),
    proven: word('proven'),
    said: stdout
      .replace(/^unloadable .*/ms, '')
      .replace(/^(absent|sha256 .*|proven .*)$\n?/gm, '')
      .trim(),
    unloadable: /^unloadable (.*)/ms.exec(stdout)?.[1]?.trim(),
  };
}

interface Place {
  readonly fingerprint: string;
  readonly sources: TrainerSources;
  readonly path: string;
  readonly runner: Runner;
}

async function placeFor(context: Foreseeing, read: TrainerStepOptions['sources']): Promise<Place> {
  const facts = known(context.work, 'facts');
  const sources = await read();
  const fingerprint = fingerprintOf(makeFor(facts, context.work.libtorch, sources.hash));
  const path = `${trainerFolder(facts.home, fingerprint)}/ringlab-train`;
  return { fingerprint, sources, path, runner: runnerOf(context.lab, context.node, context.machine) };
}

const madeBy = ({ origin }: ShelvedTrainer): Phrase =>
  origin === undefined ? phrase('summaries.origin.thisComputer') : originWords(origin);

const summary = ({ sources, fingerprint }: Place, trainer: ShelvedTrainer | undefined): Phrase =>
  lineOf([
    `ringlab-train ${sources.version}`,
    fingerprint.slice(0, 12),
    trainer?.origin === undefined ? '' : madeBy(trainer),
  ]);

const buildFolder = ({ work }: StepContext, fingerprint: string): string =>
  buildFolderIn(known(work, 'facts').home, fingerprint);

/** Notes written beside a trainer that started successfully. */
const noting = (path: string, { sha256, origin }: ShelvedTrainer): RunnableChange => ({
  what: phrase('changes.trainer.note'),
  command: `echo ${machineIn(origin)} > ${shellQuote(`${path}.built-by`)} && echo ${sha256} > ${shellQuote(`${path}.sha256`)}`,
});

/** Description of the nodes whose builds are shared, for the plan and the log. */
const circleWords = ({ isLocal, shares }: Runner): Phrase =>
  isLocal
    ? phrase('summaries.circle.local')
    : shares.size > 1
      ? phrase('summaries.circle.shared')
      : phrase('summaries.circle.own');

/** Throws trainer_newer. */
function isOurs(output: string, sources: TrainerSources): boolean {
  const version = versionSaid(output);
  if (version === undefined) return false;
  const order = compareVersions(version, sources.version);
  if (order > 0) throw new RinglabError('trainer_newer', { version });
  return order === 0;
}

export function createTrainerStep({ shelf, sources: read }: TrainerStepOptions): Step {
  // A compiler's error is the same on every node; other errors are specific to the node.
  const once = createOnce<ShelvedTrainer>(
    (error) => error instanceof RinglabError && error.code === 'trainer_build_failed',
  );

  /** Which node is building the trainer of a fingerprint and circle, for the logs of those that wait. */
  const builders = new Map<string, string>();

  return {
    id: 'trainer',
    async foresee(context) {
      if (context.work.facts === undefined || context.work.libtorch === undefined) return undefined;
      const { fingerprint, path, runner } = await placeFor(context, read);
      // Without a stored one its own version counts: that starts it, which is more than a read-only check.
      if ((await shelf.find(fingerprint, runner)) === undefined) return undefined;
      context.work.trainer = path;
      return [lookScript(path, 'never', context.work.libtorch)];
    },
    async check(context) {
      const place = await placeFor(context, read);
      const { fingerprint, sources, path, runner } = place;
      if (context.redo) return undefined;
      const shelved = await shelf.find(fingerprint, runner);
      // Identical to the stored one, and started here before: not started again at each check, because libtorch loads
      // slowly. Without a stored one its own version counts.
      const startIf = shelved === undefined ? ({ builtBy: buildersFor(runner) } as const) : 'never';
      const found = await look(context, path, startIf);
      const content =
        shelved === undefined
          ? isOurs(found.said, sources) && found.unloadable === undefined
          : found.sha256 === shelved.sha256 && found.proven === shelved.sha256;
      if (!content) return undefined;
      context.work.trainer = path;
      return summary(place, shelved);
    },

    async plan(context) {
      const { fingerprint, sources, path, runner } = await placeFor(context, read);
      const circle = circleWords(runner);
      if (context.work.libtorch === undefined)
        return [inWords(phrase('changes.trainer.unforeseen', { version: sources.version, circle }))];
      context.work.trainer = path;
      const shelved = await shelf.find(fingerprint, runner);
      if (shelved !== undefined) {
        const what = phrase('changes.trainer.send', { version: sources.version, origin: madeBy(shelved) });
        return [
          { what: ifForeseen(context.work, what), command: uploadWords(shelved.path, path) },
          noting(path, shelved),
        ];
      }
      const what = phrase('changes.trainer.build', { version: sources.version, circle });
      return [
        inWords(ifForeseen(context.work, what)),
        ...(await planBuild(context, sources, buildFolder(context, fingerprint), path)),
        inWords(phrase('changes.trainer.keep', { path })),
      ];
    },
    async apply(context) {
      const { fingerprint, sources, path, runner } = await placeFor(context, read);
      const { log } = context.status;
      const turn = `${fingerprint} ${runner.circle}`;
      const build = async (): Promise<ShelvedTrainer> => {
        const done = await shelf.find(fingerprint, runner);
        if (done !== undefined) return done;
        builders.set(turn, context.node.name);
        log.add(phrase('stepLog.buildsHere', { fingerprint, circle: circleWords(runner) }));
        for (const other of await shelf.withheld(fingerprint, runner))
          log.add(phrase('stepLog.withheld', { origin: originWords(other) }));
        if (!runner.isLocal && runner.shares.size < 2) log.add(phrase('stepLog.sharing'));
        await buildOnNode(context, sources, buildFolder(context, fingerprint), path);
        return shelf.keep(fingerprint, runner, async (to) => {
          await context.shell.download(path, to);
        });
      };
      const shelved = await shelf.find(fingerprint, runner);
      const builder = builders.get(turn);
      if (shelved === undefined && builder !== undefined)
        log.add(phrase('stepLog.awaitsBuild', { builder, circle: circleWords(runner) }));
      const trainer = shelved ?? (await once(turn, () => build().finally(() => builders.delete(turn))));
      log.add(phrase('stepLog.trainer', { hash: trainer.sha256.slice(0, 16), origin: madeBy(trainer) }));
      await context.shell.upload({ path: trainer.path }, path, { mode: 0o755 });
    },

    async verify(context) {
      const place = await placeFor(context, read);
      const { fingerprint, sources, path, runner } = place;
      const shelved = await shelf.find(fingerprint, runner);
      const found = await look(context, path, shelved === undefined ? 'never' : { sha256: shelved.sha256 });
      if (shelved === undefined || found.sha256 !== shelved.sha256) {
        await context.shell.exec(`rm -f ${shellQuote(path)} ${shellQuote(`${path}.sha256`)}`);
        throw new RinglabError('hash_mismatch', { path });
      }
      if (!isOurs(found.said, sources)) await explain(context, path, found.said);
      if (found.unloadable !== undefined)
        throw new RinglabError(
          'node_no_libtorch',
          { command: installLine(runtimePackages) },
          { detail: found.unloadable },
        );
      await context.shell.run(noting(path, shelved).command);
      context.work.trainer = path;
      return summary(place, shelved);
    },
  };
}

/** Explains why an intact trainer does not start: nearly always a missing library. Always throws. */
async function explain(context: StepContext, path: string, output: string): Promise<never> {
  const { stdout } = await context.shell.exec(
    `${libtorchAssignments(context.work.libtorch)}ldd ${shellQuote(path)} 2>&1 | grep 'not found'`,
  );
  if (stdout.trim() !== '') {
    throw new RinglabError(
      'node_no_libtorch',
      { command: installLine(runtimePackages) },
      { detail: stdout.trim() },
    );
  }
  throw new RinglabError('command_failed', { command: `${path} --version`, code: 0 }, { detail: output });
}
