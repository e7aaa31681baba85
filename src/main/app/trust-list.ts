/** The host keys and weak algorithms that the user has accepted, as one list. */
import type { RequestResult } from '../../shared/contract/api.ts';
import { fingerprintOf, type SshPoolWithTrust } from '../ssh/index.ts';

export async function listTrust({
  trust,
}: Pick<SshPoolWithTrust, 'trust'>): Promise<RequestResult<'trust.list'>> {
  const keys = (await trust.list()).map(({ host, keyType, key, addedAt }) => ({
    host,
    type: keyType,
    fingerprint: fingerprintOf(Buffer.from(key, 'base64')),
    addedAt,
  }));
  const weak = (await trust.listWeak()).map(({ host, algorithms, addedAt }) => ({
    host,
    type: algorithms.join(', '),
    fingerprint: '',
    addedAt,
    isWeak: true,
  }));
  return [...keys, ...weak];
}
