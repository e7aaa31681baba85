/** Builds the `ssh` command with which a user connects to a node in the same way as the app. */
import { join } from 'node:path';
import { jumpWords } from '../../shared/lab/access.ts';
import { shellQuote, type SshTarget } from '../ssh/index.ts';

/** `ssh` with its options, for a shell of this computer. */
export function sshCommand(target: SshTarget, dataFolder: string): string {
  const { host, port, user, authentication } = target;
  const words = ['ssh'];
  if (authentication.method === 'app-key') {
    // The app's own server on the loopback: its port changes, so its host key is stored under the node's name.
    words.push('-i', shellQuote(join(dataFolder, 'nodes', 'app_key')), '-o', 'IdentitiesOnly=yes');
    words.push(
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      `HostKeyAlias=ringlab-${target.labId}-${target.nodeId}`,
    );
  } else if (authentication.method === 'key') words.push('-i', quotedPath(authentication.keyFile));
  else if (authentication.method === 'agent' && authentication.socket !== undefined)
    // ssh splits the value into words and expands its percent signs.
    words.push('-o', shellQuote(`IdentityAgent="${authentication.socket.replaceAll('%', '%%')}"`));
  if (target.jump !== undefined) words.push('-J', shellQuote(jumpWords(target)));
  if (port !== 22) words.push('-p', String(port));
  // A name that begins with a dash must not be parsed as an option.
  words.push('--', shellQuote(user === '' ? host : `${user}@${host}`));
  return words.join(' ');
}

/** The shell expands `~/`. */
const quotedPath = (path: string): string =>
  path.startsWith('~/') ? `~/${shellQuote(path.slice(2))}` : shellQuote(path);
