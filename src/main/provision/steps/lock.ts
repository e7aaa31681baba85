/** What `ringlab lock` does on a node: the environment is solved anew there and kept with the lab; nothing is installed. */
import { lineOf, plain, type Phrase } from '../../../shared/diagnosis.ts';
import type { CondaSource, Lock } from '../runtime/index.ts';
import type { Step } from '../step.ts';

/** @param done locks of this turn: nodes of the same kind have the same */
export function createLockStep(conda: CondaSource, done: Lock[]): Step {
  const describe = ({ packages, platform, cuda }: Lock): Phrase =>
    lineOf([
      { en: `${packages.length} packages`, 'zh-CN': `${packages.length} 个软件包` },
      platform,
      cuda === undefined ? 'CPU' : `CUDA ${cuda}`,
    ]);
  return {
    id: 'libraries',
    async check(context) {
      const make = conda.make(context);
      const same = done.find(({ platform, cuda }) => platform === make.platform && cuda === make.cuda);
      if (same !== undefined) return describe(same);
      const lock = await conda.lock(context);
      done.push(lock);
      return describe(lock);
    },
    apply: () => Promise.resolve(),
    verify: () => Promise.resolve(plain('')),
  };
}
