/** Expands what may be in a `ProxyJump`: `%h`, `%n`, `%p`, `%r`, as `man ssh_config`, TOKENS, says. */

/** @param words of the host that is reached through it, and `called` so */
export function expandJump(words: Map<string, string[]>, called: string): string {
  const of = (name: string): string => words.get(name)?.[0] ?? '';
  const tokens: Readonly<Record<string, string>> = {
    '%': '%',
    h: of('hostname'),
    n: called,
    p: of('port'),
    r: of('user'),
  };
  return of('proxyjump').replaceAll(/%(.)/g, (written, token: string) => tokens[token] ?? written);
}
