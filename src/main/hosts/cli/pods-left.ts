/** What a command waits for before its app closes: checkpoints in pods, which end with their run. */
import type { Runs } from '../../run/index.ts';
import { speak } from './speak.ts';

/** Whether a window has the data folder from now on. */
interface Leaving {
  allow(may: boolean): void;
  /** Rejects when it is left. */
  readonly left: Promise<never>;
}

/** A signal ends it: the pods stay for half an hour, in which the next app goes on. A window that opens goes on at once. */
export async function untilPodsAreLeft(
  runs: Pick<Runs, 'leftPods'>,
  { allow, left }: Leaving,
  say: (text: string) => void = (text) => void process.stderr.write(`${text}\n`),
): Promise<void> {
  const isOver = Promise.race([runs.leftPods(), left.catch(() => undefined)]).then(() => true);
  const later = new Promise(setImmediate).then(() => false);
  if (await Promise.race([isOver, later])) return;
  say(speak('cli.session.pods'));
  allow(true);
  const interrupted = Promise.withResolvers<undefined>();
  const interrupt = (): void => interrupted.resolve(undefined);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  await Promise.race([isOver, interrupted.promise]);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
