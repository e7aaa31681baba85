/**
 * The driver step: detects NVIDIA's driver, installs or repairs it with the user's consent, and verifies it with
 * `nvidia-smi`.
 */
import { basename } from 'node:path';
import { driverFile } from '../../base/node-layout.ts';
import { changedLine } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { rebootChange } from './driver-changes.ts';
import { planDriver, type DriverPlan } from './driver-plan.ts';
import type { DriverFile } from '../node/rights.ts';
import { readDriverFile } from './driver-file.ts';
import { expandHome } from '../node/home-path.ts';
import { inWords, uploadWords, type RunnableChange } from '../node/planned-change.ts';
import { shellQuote } from '../../ssh/index.ts';
import { awaitLists, beginChange, endChange, completeInterrupted } from '../download/apt-call.ts';
import { refuseHiddenMirrors } from '../node/hidden-mirrors.ts';
import { runLasting, settleLasting, systemChange } from '../node/lasting.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import { readFacts } from '../node/read-facts.ts';
import { phrase } from '../../i18n/index.ts';
import { codeOf } from '../node/node-shell.ts';

/** DKMS compiles for ten minutes on a small machine. */
const changeMinutes = 40;
/** Disabling nouveau with a reboot, the driver, its own reboot: more rounds would not help. */
const maxRounds = 3;

/** NVIDIA's installer, where the user named one: its local path and its path on the node. */
function installerOf({ node, work }: StepContext): { from: string; to: string } | undefined {
  const from = node.driverFile?.trim() ?? '';
  if (from === '') return undefined;
  return { from, to: driverFile(known(work, 'facts').home, basename(from)) };
}

/** Starts only exactly what was confirmed: the file may have changed since the question. */
async function bring({ shell, status }: StepContext, file: DriverFile, to: string): Promise<void> {
  const { path, kind, bytes, sha256 } = file;
  status.log.add(phrase('stepLog.driverFile', { path, kind, bytes, sha256 }));
  await shell.upload({ path: file.path }, to, { mode: 0o755 });
  const sum = await shell.run(`sha256sum < ${shellQuote(to)} | cut -d ' ' -f 1`);
  if (sum.trim() === file.sha256) return;
  await shell.exec(`rm -f ${shellQuote(to)}`);
  throw new RinglabError('hash_mismatch', { path: file.path });
}

const planFor = (context: StepContext): DriverPlan =>
  planDriver(known(context.work, 'facts'), installerOf(context)?.to);

type Changing = Extract<DriverPlan, { kind: 'change' }>;

type Blocked = Extract<DriverPlan, { kind: 'blocked' }>;

const diagnosed = ({ diagnosis }: Blocked): { diagnosis?: string } =>
  diagnosis === undefined ? {} : { diagnosis };

const blocked = (plan: Blocked): RinglabError =>
  new RinglabError(plan.diagnosis === undefined ? 'driver_failed' : 'driver_blocked', diagnosed(plan));

const uses = ({ changes }: Changing, file: string): boolean =>
  changes.some(({ command }) => command.includes(shellQuote(file)));

const usesApt = (command: string): boolean => /apt-get|ubuntu-drivers/.test(command);

/** The command as planned, confirmed and run. */
const asRun = ({ what, command }: RunnableChange): Required<RunnableChange> => ({
  what,
  command: usesApt(command)
    ? `${completeInterrupted}\n${awaitLists}\n${beginChange}\nset -e\n${command}\n${endChange}`
    : `set -e\n${command}`,
  byHand: command,
});

const afterReboot = inWords(phrase('changes.driver.afterReboot'));

/** @param home the user's home folder, for a path that begins with `~` */
export function createDriverStep(clock: Clock, home: string): Step {
  const look = async (context: StepContext): Promise<void> => {
    const report = await readFacts(context.shell, clock);
    context.work.facts = report.facts;
    context.work.libtorch = report.libtorch;
  };
  const carryOut = async (context: StepContext, plan: Changing): Promise<void> => {
    const installer = installerOf(context);
    const file =
      installer === undefined || !uses(plan, installer.to)
        ? undefined
        : await readDriverFile(installer.from, home, context.signal);
    const changes = plan.changes.map(asRun);
    await context.rights.allow('driver', changes, context.signal, file);
    if (file !== undefined && installer !== undefined) await bring(context, file, installer.to);
    for (const { what, command, byHand } of changes) {
      context.status.log.add(changedLine(what, (text) => `# ${text}`));
      const facts = known(context.work, 'facts');
      const downloads = usesApt(command);
      // A driver of NVIDIA's repository is on no other mirror.
      const needed = command.includes('cuda-drivers') ? { needed: 'nvidia' } : {};
      if (downloads) await refuseHiddenMirrors(context.shell, byHand, needed);
      const { shell, rights } = context;
      const result = await runLasting({ shell, facts, rights }, command, systemChange, {
        label: byHand,
        timeoutMs: changeMinutes * 60_000,
        online: downloads,
      });
      if (result.code !== 0) throw new RinglabError('driver_failed', { code: codeOf(result) });
    }
    if (plan.reboot) {
      await context.rights.allow('reboot', [rebootChange], context.signal);
      await context.reboot(rebootChange.command);
    }
  };
  return {
    id: 'driver',
    check(context) {
      const plan = planFor(context);
      if (plan.kind === 'nothing') return Promise.resolve(plan.summary);
      // A node that is drawn without a GPU, or on which a user chose the CPU, needs no driver.
      if (context.node.kind !== 'gpu' || context.lab.experiment.backend === 'gloo')
        return Promise.resolve(phrase('summaries.driver.onCpu'));
      const output = known(context.work, 'facts').nvidia?.said;
      if (output !== undefined) context.status.log.add(output);
      return Promise.resolve(undefined);
    },
    plan(context) {
      const plan = planFor(context);
      if (plan.kind === 'blocked') throw blocked(plan);
      if (plan.kind === 'nothing') return Promise.resolve([]);
      const installer = installerOf(context);
      return Promise.resolve([
        ...(installer !== undefined && uses(plan, installer.to)
          ? [
              {
                what: phrase('changes.driver.send'),
                command: uploadWords(expandHome(installer.from, home), installer.to),
              },
            ]
          : []),
        ...plan.changes.map(asRun),
        ...(plan.reboot ? [rebootChange, afterReboot] : []),
      ]);
    },
    async apply(context) {
      const { shell, rights } = context;
      const where = { shell, rights, facts: known(context.work, 'facts') };
      // An installation left running by an earlier preparation may change the plan.
      if (await settleLasting(where, systemChange, changeMinutes * 60_000)) await look(context);
      for (let round = 1; round <= maxRounds; round += 1) {
        const plan = planFor(context);
        if (plan.kind === 'blocked') throw blocked(plan);
        if (plan.kind === 'nothing') return;
        await carryOut(context, plan);
        if (!plan.reboot) return;
        await look(context);
      }
    },
    async verify(context) {
      await look(context);
      const plan = planFor(context);
      if (plan.kind === 'nothing') return plan.summary;
      const output = known(context.work, 'facts').nvidia?.said;
      if (output !== undefined) context.status.log.add(output);
      throw new RinglabError('driver_failed', plan.kind === 'blocked' ? diagnosed(plan) : {});
    },
  };
}
