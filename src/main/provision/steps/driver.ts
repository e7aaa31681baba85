/** NVIDIA's driver: seen, installed or mended after the person allowed it, and proven by `nvidia-smi`. */
import { RinglabError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { planDriver, rebootChange } from '../driver-plan.ts';
import { known, type Step, type StepContext } from '../step.ts';
import { readFacts } from './facts.ts';

/** DKMS compiles for ten minutes on a small machine. */
const changeMinutes = 40;

export function createDriverStep(clock: Clock): Step {
  const look = async (context: StepContext): Promise<void> => {
    const report = await readFacts(context.shell, clock);
    context.work.facts = report.facts;
    context.work.libtorchPrefix = report.libtorchPrefix;
  };
  return {
    id: 'driver',
    check(context) {
      const plan = planDriver(known(context.work, 'facts'));
      if (plan.kind === 'nothing') return Promise.resolve(plan.summary);
      // A node on which somebody chose the CPU needs no driver.
      if (context.lab.experiment.backend === 'gloo')
        return Promise.resolve('not needed: training on the CPU');
      const said = known(context.work, 'facts').nvidia?.said;
      if (said !== undefined) context.status.log.add(said);
      return Promise.resolve(undefined);
    },
    async apply(context) {
      const plan = planDriver(known(context.work, 'facts'));
      if (plan.kind === 'blocked') throw new RinglabError('driver_blocked', { diagnosis: plan.diagnosis });
      if (plan.kind === 'nothing') return;
      await context.rights.allow('driver', plan.changes, context.signal);
      for (const { what, command } of plan.changes) {
        context.status.log.add(`# ${what.en}`);
        const result = await context.rights.root(
          context.shell,
          known(context.work, 'facts'),
          `set -e\n${command}`,
          {
            label: command,
            timeoutMs: changeMinutes * 60_000,
            unstoppable: true,
          },
        );
        if (result.code !== 0) throw new RinglabError('driver_failed', { code: result.code ?? 'signal' });
        context.signal.throwIfAborted();
      }
      if (plan.reboot) {
        await context.rights.allow('reboot', [rebootChange], context.signal);
        await context.reboot(rebootChange.command);
      }
    },
    async verify(context) {
      await look(context);
      const plan = planDriver(known(context.work, 'facts'));
      if (plan.kind === 'nothing') return plan.summary;
      const said = known(context.work, 'facts').nvidia?.said;
      if (said !== undefined) context.status.log.add(said);
      throw new RinglabError('driver_failed', plan.kind === 'blocked' ? { diagnosis: plan.diagnosis } : {});
    },
  };
}
