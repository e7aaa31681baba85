/** The session to the node: host key, login and jump hosts are the SSH layer's work, and its questions. */
import { jumpWords } from '../../../shared/lab.ts';
import type { Step } from '../step.ts';

export const reachStep: Step = {
  id: 'reach',
  check({ shell, status }) {
    const { target } = shell.session;
    const { user, host, port } = target;
    const through = target.jump === undefined ? '' : ` through ${jumpWords(target)}`;
    const summary = `${user}@${host}:${port}${through}`;
    status.log.add(`connected to ${summary}`);
    return Promise.resolve(summary);
  },
  apply: () => Promise.resolve(),
  verify: ({ shell }) => Promise.resolve(`${shell.session.target.host}:${shell.session.target.port}`),
};
