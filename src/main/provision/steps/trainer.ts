/**
 * The trainer: the binary of this computer where the node's make is the same, else one that a node like it has built,
 * else the sources are sent and built there, once for all nodes alike, and the result is kept.
 */
import { plain, type Phrase } from '../../../shared/diagnosis.ts';
import { RinglabError } from '../../../shared/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { installLine, runtimePackages } from '../packages.ts';
import { libtorchAssignments, type Libtorch } from '../runtime/index.ts';
import type { TrainerSources } from '../sources.ts';
import { known, type Foreseeing, type Step, type StepContext } from '../step.ts';
import { buildOnNode, buildOptions } from '../trainer-build.ts';
import type { ShelvedTrainer, TrainerShelf } from '../trainer-shelf.ts';
import { compareVersions, fingerprintOf, makeFor, versionSaid } from '../trainer-version.ts';
import { createOnce } from '../turns.ts';

export interface TrainerStepOptions {
  readonly shelf: TrainerShelf;
  /** Read again each time: a developer changes them while the app runs. */
  readonly sources: () => Promise<TrainerSources>;
}

/** What lies at the trainer's place on the node. */
interface Found {
  readonly sha256: string | undefined;
  /** The hash of the one that was started here with success: written beside it then. */
  readonly proven: string | undefined;
  /** What it said to `--version`, where it was started. */
  readonly said: string;
}

/**
 * A file that is not what was sent is never started, not even for its version.
 * @param startIf the hash that it must have to be started; where empty, the proven one
 */
const lookScript = (path: string, startIf: string, libtorch: Libtorch | undefined): string => `
t=${shellQuote(path)}; wanted=${startIf}
[ -f "$t" ] || { echo absent; exit 0; }
sum=$(sha256sum < "$t" | cut -d ' ' -f 1); echo "sha256 $sum"
proven=$(cat "$t.sha256" 2>/dev/null); echo "proven $proven"
[ "$sum" = "\${wanted:-$proven}" ] || exit 0
${libtorchAssignments(libtorch)}"$t" --version 2>&1
`;

async function look({ shell, work }: StepContext, path: string, startIf: string): Promise<Found> {
  const { stdout } = await shell.ask(lookScript(path, startIf, work.libtorch), {
    label: `look at ${path}`,
  });
  const word = (name: string): string | undefined =>
    new RegExp(`^${name} ([0-9a-f]{64})$`, 'm').exec(stdout)?.[1];
  return {
    sha256: word('sha256'),
    proven: word('proven'),
    said: stdout.replace(/^(absent|sha256 .*|proven .*)$\n?/gm, '').trim(),
  };
}

interface Place {
  readonly fingerprint: string;
  readonly sources: TrainerSources;
  readonly path: string;
}

async function placeFor(context: Foreseeing, read: TrainerStepOptions['sources']): Promise<Place> {
  const facts = known(context.work, 'facts');
  const sources = await read();
  const fingerprint = fingerprintOf(makeFor(facts, context.work.libtorch, sources.hash));
  const path = `${facts.home}/.ringlab/trainers/${fingerprint}/ringlab-train`;
  return { fingerprint, sources, path };
}

const summary = (sources: TrainerSources, fingerprint: string): Phrase =>
  plain(`ringlab-train ${sources.version} · ${fingerprint.slice(0, 12)}`);

/** Throws trainer_newer. */
function isOurs(said: string, sources: TrainerSources): boolean {
  const version = versionSaid(said);
  if (version === undefined) return false;
  const order = compareVersions(version, sources.version);
  if (order > 0) throw new RinglabError('trainer_newer', { version });
  return order === 0;
}

export function createTrainerStep({ shelf, sources: read }: TrainerStepOptions): Step {
  // A compiler's error is the same on every node alike; all else is the node's own.
  const once = createOnce<ShelvedTrainer>(
    (error) => error instanceof RinglabError && error.code === 'trainer_build_failed',
  );

  /** Which node builds the trainer of a fingerprint now, for the logs of those that wait for it. */
  const builders = new Map<string, string>();

  return {
    id: 'trainer',
    async foresee(context) {
      if (context.work.facts === undefined || context.work.libtorch === undefined) return undefined;
      const { fingerprint, path } = await placeFor(context, read);
      // Without one on the shelf its own word counts: that starts it, which is no mere look.
      if ((await shelf.find(fingerprint)) === undefined) return undefined;
      context.work.trainer = path;
      return [lookScript(path, 'none', context.work.libtorch)];
    },
    async check(context) {
      const { fingerprint, sources, path } = await placeFor(context, read);
      if (context.redo) return undefined;
      const shelved = await shelf.find(fingerprint);
      // Exactly what this computer hands out, and started here before: it is not started again at each look, for
      // libtorch takes its time to load. Where there is none on the shelf its own word counts.
      const found = await look(context, path, shelved === undefined ? '' : 'none');
      const content =
        shelved === undefined
          ? isOurs(found.said, sources)
          : found.sha256 === shelved.sha256 && found.proven === shelved.sha256;
      if (!content) return undefined;
      context.work.trainer = path;
      return summary(sources, fingerprint);
    },

    async plan(context) {
      const { fingerprint, sources, path } = await placeFor(context, read);
      const shelved = await shelf.find(fingerprint);
      const to = shellQuote(path);
      const build = `cmake -S src -B out ${buildOptions(context)} && cmake --build out --target ringlab-train && cp out/ringlab-train ${to}`;
      if (context.work.libtorch === undefined)
        return [
          {
            what: {
              en: `Send the trainer ${sources.version} where one is kept that fits the libtorch of the step before, which is not known yet; else build it on the node, once for all nodes alike`,
              'zh-CN': `若已有与上一步 libtorch（目前未知）相符的训练程序 ${sources.version} 则直接发送，否则在节点上编译（同类节点只编译一次）`,
            },
            command: `upload ringlab-train → ~/.ringlab/trainers/ || ( cmake -S src -B out ${buildOptions(context)} && cmake --build out --target ringlab-train )`,
          },
        ];
      return shelved === undefined
        ? [
            {
              what: {
                en: `Build the trainer ${sources.version} on the node from its sources, once for all nodes alike`,
                'zh-CN': `在节点上用源代码编译训练程序 ${sources.version}（同类节点只编译一次）`,
              },
              command: build,
            },
          ]
        : [
            {
              what: {
                en: `Send the trainer ${sources.version} (${shelved.origin})`,
                'zh-CN': `发送训练程序 ${sources.version}`,
              },
              command: `upload ${shelved.path} → ${to}`,
            },
          ];
    },
    async apply(context) {
      const { fingerprint, sources, path } = await placeFor(context, read);
      const build = async (): Promise<ShelvedTrainer> => {
        const done = await shelf.find(fingerprint);
        if (done !== undefined) return done;
        builders.set(fingerprint, context.node.name);
        context.status.log.add(`no trainer fits (${fingerprint}): it is built here, for all nodes alike`);
        const folder = `${known(context.work, 'facts').home}/.ringlab/build/${fingerprint}`;
        await buildOnNode(context, sources, folder, path);
        return shelf.keep(fingerprint, async (to) => {
          await context.shell.download(path, to);
        });
      };
      const shelved = await shelf.find(fingerprint);
      const builder = builders.get(fingerprint);
      if (shelved === undefined && builder !== undefined) {
        context.status.log.add(`waiting for ${builder}, which builds it for all nodes alike`);
      }
      const trainer =
        shelved ?? (await once(fingerprint, () => build().finally(() => builders.delete(fingerprint))));
      context.status.log.add(`trainer ${trainer.sha256.slice(0, 16)} (${trainer.origin})`);
      await context.shell.upload({ path: trainer.path }, path, { mode: 0o755 });
    },

    async verify(context) {
      const { fingerprint, sources, path } = await placeFor(context, read);
      const expected = (await shelf.find(fingerprint))?.sha256;
      const found = await look(context, path, expected ?? 'none');
      if (expected === undefined || found.sha256 !== expected) {
        await context.shell.exec(`rm -f ${shellQuote(path)} ${shellQuote(`${path}.sha256`)}`);
        throw new RinglabError('hash_mismatch', { path });
      }
      if (!isOurs(found.said, sources)) await explain(context, path, found.said);
      await context.shell.run(`echo ${expected} > ${shellQuote(`${path}.sha256`)}`);
      context.work.trainer = path;
      return summary(sources, fingerprint);
    },
  };
}

/** Why a whole trainer does not start: nearly always a library that is not there. Always throws. */
async function explain(context: StepContext, path: string, said: string): Promise<never> {
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
  throw new RinglabError(
    'command_failed',
    { command: `${path} --version`, code: 'other version' },
    { detail: said },
  );
}
