/** The reach step: opens the SSH session to the node. */
import { plain } from '../../../shared/base/phrase.ts';
import { jumpWords } from '../../../shared/lab/access.ts';
import { kubernetesOf } from '../../../shared/lab/reached.ts';
import type { Step } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

export const reachStep: Step = {
  id: 'reach',
  check({ shell, status, lab }) {
    const { target } = shell.session;
    const { user, host, port } = target;
    // The address of a pod's session is this computer's own.
    const there = kubernetesOf(lab) === undefined ? `${user}@${host}:${port}` : target.nodeName;
    const jump = target.jump === undefined ? undefined : jumpWords(target);
    const summary = jump === undefined ? plain(there) : phrase('summaries.through', { host: there, jump });
    status.log.add(phrase('stepLog.connected', { to: summary }));
    return Promise.resolve(summary);
  },
  apply: () => Promise.resolve(),
  verify: ({ shell }) => Promise.resolve(plain(`${shell.session.target.host}:${shell.session.target.port}`)),
};
