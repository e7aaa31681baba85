/** Which agent an `IdentityAgent` of an SSH configuration means. */
import { join } from 'node:path';
import type { Authentication } from '../../../shared/lab/access.ts';
import { expandKeyPath, type KeyPathOf } from './key-path.ts';

export interface ConfiguredAgent {
  /** With `~` expanded. */
  readonly socket: string;
  readonly authentication: Authentication;
}

/**
 * undefined for `none`, for a variable that is not set, and where no agent runs.
 * @param written undefined where the host has none
 * @param usual the socket of the user's own agent, undefined where none runs
 */
export function agentOf(
  written: string | undefined,
  usual: string | undefined,
  of: KeyPathOf,
): ConfiguredAgent | undefined {
  const own: ConfiguredAgent | undefined =
    usual === undefined ? undefined : { socket: usual, authentication: { method: 'agent' } };
  if (written === undefined || /^(?:\$?SSH_AUTH_SOCK|\$\{SSH_AUTH_SOCK\})$/.test(written)) return own;
  if (written === 'none') return undefined;
  const variable = /^\$(\w+)$/.exec(written)?.[1];
  // `ssh -G` has expanded it already: what is left of percent signs is meant.
  const named = variable === undefined ? (expandKeyPath(written, of) ?? written) : process.env[variable];
  if (named === undefined || named === '') return undefined;
  const socket = named.startsWith('~/') ? join(of.home, named.slice(2)) : named;
  return socket === usual ? own : { socket, authentication: { method: 'agent', socket: named } };
}
