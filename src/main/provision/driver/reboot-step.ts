/**
 * A reboot requested by the user: asks for consent each time, and waits until the node is back. Shown in the row of
 * the reach step.
 */
import { rebootChange } from './driver-changes.ts';
import type { Step } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

export const rebootStep: Step = {
  id: 'reboot',
  place: 'reach',
  check: () => Promise.resolve(undefined),
  async apply(context) {
    await context.rights.allow('reboot', [rebootChange], context.signal);
    await context.reboot(rebootChange.command);
  },
  verify: () => Promise.resolve(phrase('summaries.rebooted')),
};
