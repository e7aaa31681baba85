/**
 * The trainer step of an own script: brings the program that samples the node, measures its network and collects what
 * the script writes. These commands need no libtorch, so this computer's own fits every node whose system starts it;
 * else the node gets a trainer as for the native one.
 */
import { trainerFolder } from '../../base/node-layout.ts';
import { lineOf } from '../../../shared/base/phrase.ts';
import { shellQuote } from '../../ssh/index.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import { uploadWords } from '../node/planned-change.ts';
import type { ShelvedTrainer, TrainerShelf } from '../trainer/trainer-shelf.ts';
import { phrase } from '../../i18n/index.ts';
import type { ScriptEngines } from './script-engines.ts';

const pathOf = (context: StepContext, { sha256 }: ShelvedTrainer): string =>
  `${trainerFolder(known(context.work, 'facts').home, `plain-${sha256.slice(0, 24)}`)}/ringlab-train`;

const summaryOf = (said: string) => lineOf([said.trim().split('\n')[0]?.split(' libtorch')[0] ?? '']);

/** @param trainer the native trainer's step */
export function createExecutableStep(shelf: TrainerShelf, trainer: Step, engines: ScriptEngines): Step {
  /** Nodes on which this computer's own does not start. */
  const unfit = new Set<string>();
  const ownFor = async (context: StepContext): Promise<ShelvedTrainer | undefined> =>
    unfit.has(context.machine.id) ? undefined : shelf.plain(known(context.work, 'facts').arch);
  return {
    id: 'program',
    place: 'trainer',
    async check(context) {
      const own = await ownFor(context);
      if (own === undefined) return trainer.check(context);
      if (context.redo) return undefined;
      const path = shellQuote(pathOf(context, own));
      const { stdout, code } = await context.shell.ask(
        `[ "$(sha256sum < ${path} 2>/dev/null | cut -d ' ' -f 1)" = ${own.sha256} ] && ${path} --version`,
        { label: phrase('nodeCommands.ownProgram') },
      );
      if (code !== 0 || !(await engines.check(context, stdout))) return undefined;
      context.work.trainer = pathOf(context, own);
      return summaryOf(stdout);
    },
    async plan(context) {
      const own = await ownFor(context);
      if (own === undefined) return (await trainer.plan?.(context)) ?? [];
      context.work.trainer = pathOf(context, own);
      return [
        { what: phrase('changes.code.program'), command: uploadWords(own.path, pathOf(context, own)) },
        ...(await engines.plan(context)),
      ];
    },
    async apply(context) {
      const own = await ownFor(context);
      if (own === undefined) return trainer.apply(context);
      const path = pathOf(context, own);
      await context.shell.upload({ path: own.path }, path, { mode: 0o755 });
      const started = await context.shell.exec(`${shellQuote(path)} --version`);
      if (started.code === 0) return engines.apply(context, started.stdout);
      context.status.log.add(phrase('stepLog.programUnfit'));
      unfit.add(context.machine.id);
      if ((await trainer.check(context)) === undefined) await trainer.apply(context);
    },
    async verify(context) {
      const own = await ownFor(context);
      if (own === undefined) return trainer.verify(context);
      const path = pathOf(context, own);
      const said = await context.shell.run(`${shellQuote(path)} --version`);
      context.work.trainer = path;
      return engines.verify(context, said, summaryOf(said));
    },
  };
}
