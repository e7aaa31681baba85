/** How a machine is reached: this computer, or SSH with its jump hosts and authentication. No secret is ever in it. */
import * as z from 'zod';
import { commandWord } from '../base/plain-text.ts';

/** A path on this computer. */
const Path = commandWord(4096);
/** An address and nothing else: a dash behind the bracket would make an option of ssh of it. */
const bracketed = /^\[([\da-f]*:[\da-f:.]*(?:%[\w.-]+)?)\]$/i;
// Copied addresses often have a space at an end, and an IPv6 address the brackets of a URL, with which it is no address.
const Host = commandWord(255)
  .trim()
  .overwrite((host) => host.replace(bracketed, '$1'));
const User = commandWord(120).trim();

/** How to authenticate. Passwords and passphrases are asked for and stored by the host, never in the lab. */
export const Authentication = z.discriminatedUnion('method', [
  z.object({ method: z.literal('password') }),
  z.object({ method: z.literal('key'), keyFile: Path }),
  /** @property socket where another agent than the user's own listens: a path or a pipe of this computer */
  z.object({ method: z.literal('agent'), socket: Path.optional() }),
]);
export type Authentication = z.infer<typeof Authentication>;

const Port = z.number().int().min(1).max(65_535);

export const JumpHost = z.object({
  host: Host,
  port: Port,
  user: User,
  authentication: Authentication,
  /** The jump host before this one: OpenSSH's `ProxyJump first,second`. */
  get jump(): z.ZodOptional<typeof JumpHost> {
    return JumpHost.optional();
  },
});
export type JumpHost = z.infer<typeof JumpHost>;

/** The longest chain, far from the depth of files that are read. */
export const maxJumpHosts = 16;
/** Counted before the recursive schema, which a chain of thousands would overflow. */
function isShort(hop: unknown): boolean {
  let now = hop;
  for (let count = 0; count < maxJumpHosts; count += 1) {
    if (typeof now !== 'object' || now === null || !('jump' in now)) return true;
    now = now.jump;
  }
  return now === undefined;
}
/** The jump host next to a machine, with those before it. */
export const JumpChain = z
  .custom<z.input<typeof JumpHost>>(isShort, 'jump_hosts_too_many')
  .pipe(JumpHost)
  .optional();

/** All jump hosts of a connection, first hop first. */
export function jumpHosts<Hop extends { readonly jump?: Hop | undefined }>(target: {
  readonly jump?: Hop | undefined;
}): Hop[] {
  return target.jump === undefined ? [] : [...jumpHosts<Hop>(target.jump), target.jump];
}
/** `user@host:port` joined with commas, as `ssh -J` takes them: an IPv6 address in brackets. */
export const jumpWords = (target: { readonly jump?: JumpName | undefined }): string =>
  jumpHosts<JumpName>(target)
    .map(
      ({ user, host, port }) =>
        `${user === '' ? '' : `${user}@`}${host.includes(':') ? `[${host}]` : host}:${port}`,
    )
    .join(',');
export interface JumpName {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly jump?: JumpName | undefined;
}

export const SshAccess = z.object({
  type: z.literal('ssh'),
  host: Host,
  port: Port,
  user: User,
  authentication: Authentication,
  jump: JumpChain,
});
export type SshAccess = z.infer<typeof SshAccess>;

export const Access = z.discriminatedUnion('type', [
  /** One of the app's own SSH servers on this machine. */
  z.object({ type: z.literal('local') }),
  SshAccess,
]);
export type Access = z.infer<typeof Access>;
