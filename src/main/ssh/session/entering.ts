/** A session whose commands all begin with the same lines of shell. */
import type { SshSession } from '../contract.ts';

const known = new WeakMap<SshSession, Map<string, SshSession>>();

/**
 * The same one for the same session and `enter`: callers may compare sessions.
 * @param enter what each command runs first, with its line's end
 * @param changes what else is different on it
 */
export function entering(session: SshSession, enter: string, changes: Partial<SshSession> = {}): SshSession {
  const of = known.get(session) ?? new Map<string, SshSession>();
  known.set(session, of);
  const found = of.get(enter) ?? {
    ...session,
    exec: (script, options) => session.exec(enter + script, options),
    run: (script, options) => session.run(enter + script, options),
    ...changes,
  };
  of.set(enter, found);
  return found;
}
