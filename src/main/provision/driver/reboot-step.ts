/** A reboot that the user asked for: allowed once more, word for word, and waited for. Recorded as reaching the node. */
import { rebootChange } from './driver-plan.ts';
import type { Step } from '../engine/step.ts';

export const rebootStep: Step = {
  id: 'reach',
  check: () => Promise.resolve(undefined),
  async apply(context) {
    await context.rights.allow('reboot', [rebootChange], context.signal);
    await context.reboot(rebootChange.command);
  },
  verify: () => Promise.resolve({ en: 'rebooted', 'zh-CN': '已重启' }),
};
