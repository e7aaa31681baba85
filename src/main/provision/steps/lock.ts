/**
 * The lock step (`ringlab lock`): solves the environment again on the node and stores it with the lab; installs
 * nothing.
 */
import { lineOf, type Phrase } from '../../../shared/base/phrase.ts';
import type { CondaSource, Lock, NodeMake } from '../runtime/index.ts';
import type { Step, StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

const describe = ({ packages, platform, cuda }: Lock): Phrase =>
  lineOf([
    phrase('summaries.packages', { count: packages.length }),
    platform,
    cuda === undefined ? 'CPU' : `CUDA ${cuda}`,
  ]);
const asBefore: Phrase = phrase('summaries.sameLock');

/**
 * @param done locks of this call: nodes of the same kind have the same
 * @param planned in a dry run over several nodes: what would have been solved
 */
export function createLockStep(conda: CondaSource, done: Lock[], planned?: NodeMake[]): Step {
  const sameAs =
    (make: NodeMake) =>
    (other: NodeMake | Lock): boolean =>
      other.platform === make.platform && other.cuda === make.cuda;
  const found = (context: StepContext): Lock | undefined => done.find(sameAs(conda.make(context)));
  return {
    id: 'lock',
    place: 'libraries',
    check(context) {
      const same = found(context);
      if (same !== undefined) return Promise.resolve(describe(same));
      return Promise.resolve(planned?.some(sameAs(conda.make(context))) === true ? asBefore : undefined);
    },
    async plan(context) {
      const changes = await conda.planLock(context);
      planned?.push(conda.make(context));
      return changes;
    },
    async apply(context) {
      done.push(await conda.lock(context));
    },
    verify(context) {
      const lock = found(context);
      if (lock === undefined) throw new Error('what was solved is not kept');
      return Promise.resolve(describe(lock));
    },
  };
}
