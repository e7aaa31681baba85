/**
 * One-time codes that open the window. A process that can read the host file (of the same user) creates one; the host
 * accepts each once and for a short time, so that copies in a browser's history or a terminal are useless. The tab that used
 * it may send it again meanwhile.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Lifetime for a printed address, to be pasted into a browser. */
export const printedCodeMs = 5 * 60_000;
/** Lifetime for a file that the browser opens at once. */
export const openedCodeMs = 60_000;
/** Maximum number of used codes that are remembered during their lifetime. */
const maxUsed = 10_000;

const sign = (key: string, origin: string, until: string, nonce: string): string =>
  createHmac('sha256', key).update(['ringlab code', origin, until, nonce].join('\n')).digest('base64url');

/** @param origin of the page: the code is valid for this one only */
export function makeCode(key: string, origin: string, lifetimeMs: number, now = Date.now()): string {
  const until = String(now + lifetimeMs);
  const nonce = randomBytes(16).toString('base64url');
  return `${until}.${nonce}.${sign(key, origin, until, nonce)}`;
}

export interface Codes {
  /**
   * Within a code's lifetime: true once, and again for the same tab.
   * @param tab a secret of the tab that sends the code
   */
  take(code: string, tab?: string): boolean;
}

export function createCodes(key: string, origin: string, now: () => number = Date.now): Codes {
  const used = new Map<string, { readonly end: number; readonly tab: string | undefined }>();
  return {
    take(code, tab) {
      const [until = '', nonce = '', signature = '', ...rest] = code.split('.');
      if (
        !/^\d{1,15}$/.test(until) ||
        !sameText(signature, sign(key, origin, until, nonce)) ||
        rest.length > 0
      )
        return false;
      const end = Number(until);
      // A code with a longer lifetime is forged, or this computer's clock was set back.
      if (end < now() || end > now() + printedCodeMs) return false;
      for (const [old, { end }] of used) if (end < now()) used.delete(old);
      const before = used.get(nonce);
      if (before !== undefined) return tab !== undefined && sameText(before.tab ?? '', tab);
      if (used.size >= maxUsed) return false;
      used.set(nonce, { end, tab });
      return true;
    },
  };
}

/** Constant-time comparison of two secrets. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
