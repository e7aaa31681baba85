/**
 * One-time codes that open the window. Whoever can read the host file (the same user) makes one, the host takes each once
 * and for a short time: what is left of it in a browser's history or in a terminal's scroll-back opens nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** For an address that is printed, to be pasted into a browser. */
export const printedCodeMs = 5 * 60_000;
/** For a file that the browser opens at once. */
export const openedCodeMs = 60_000;
/** Codes that may be used within their lifetime; beyond it new ones must wait. */
const maxUsed = 10_000;

const sign = (key: string, origin: string, until: string, nonce: string): string =>
  createHmac('sha256', key).update(['ringlab code', origin, until, nonce].join('\n')).digest('base64url');

/** @param origin the page's: a code opens no other */
export function makeCode(key: string, origin: string, lifetimeMs: number, now = Date.now()): string {
  const until = String(now + lifetimeMs);
  const nonce = randomBytes(16).toString('base64url');
  return `${until}.${nonce}.${sign(key, origin, until, nonce)}`;
}

export interface Codes {
  /** True once for each code, within its time. */
  take(code: string): boolean;
}

export function createCodes(key: string, origin: string, now: () => number = Date.now): Codes {
  const used = new Map<string, number>();
  return {
    take(code) {
      const [until = '', nonce = '', signature = '', ...rest] = code.split('.');
      if (
        !/^\d{1,15}$/.test(until) ||
        !sameText(signature, sign(key, origin, until, nonce)) ||
        rest.length > 0
      )
        return false;
      const end = Number(until);
      // A code for longer than that is none of ours, or this computer's clock was set back since.
      if (end < now() || end > now() + printedCodeMs) return false;
      for (const [old, end] of used) if (end < now()) used.delete(old);
      if (used.has(nonce) || used.size >= maxUsed) return false;
      used.set(nonce, end);
      return true;
    },
  };
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
