/** What of an environment marker (PEP 508) is known before a node is asked: every node is Linux. */

const nodeMarkers: Readonly<Record<string, string>> = {
  sys_platform: 'linux',
  platform_system: 'Linux',
  os_name: 'posix',
};
const comparison = /\b(sys_platform|platform_system|os_name)\s*([!=]=)\s*\\?(["'])([\w.-]*)\\?\3/g;

const holds = ([, name = '', operator, , value]: RegExpMatchArray): boolean =>
  (nodeMarkers[name] === value) === (operator === '==');

/** Whether what follows a version lets it count on every node. Of what is not compared here nothing is known. */
export function countsOnNodes(rest: string): boolean {
  const marker = /^[^#]*?;(.*)$/.exec(rest)?.[1];
  if (marker === undefined) return true;
  const others = marker
    .replace(comparison, '')
    .replace(/(?:^|\s)(?:#|--hash).*$/, '')
    .replace(/\band\b|[\s"',\\]/g, '');
  return others === '' && [...marker.matchAll(comparison)].every(holds);
}

/** Whether a marker may hold on some node. */
export const mayCountOnNodes = (marker: string): boolean =>
  /\bor\b/.test(marker) || [...marker.matchAll(comparison)].every(holds);
