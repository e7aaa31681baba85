/** The reach step: opens the SSH session to the node. */
import { plain } from '../../../shared/base/phrase.ts';
import { jumpWords } from '../../../shared/lab/access.ts';
import type { Step } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

export const reachStep: Step = {
  id: 'reach',
  check({ shell, status }) {
    const { target } = shell.session;
    const { user, host, port } = target;
    const there = `${user}@${host}:${port}`;
    const jump = target.jump === undefined ? undefined : jumpWords(target);
    const summary = jump === undefined ? plain(there) : phrase('summaries.through', { host: there, jump });
    status.log.add(`connected to ${summary.en}`);
    return Promise.resolve(summary);
  },
  apply: () => Promise.resolve(),
  verify: ({ shell }) => Promise.resolve(plain(`${shell.session.target.host}:${shell.session.target.port}`)),
};
