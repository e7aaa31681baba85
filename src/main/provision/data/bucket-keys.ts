/**
 * Opens buckets with the user's secret key: asks once, stores it as passwords are stored, asks again where it was
 * wrong.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { SecretStore } from '../../base/platform.ts';
import { createBucket, type Bucket, type BucketPlace } from '../../transfer/index.ts';
import type { Prompter, SecretMemory } from '../../ssh/index.ts';

/** The node whose preparation needs the key. */
interface KeyAsker {
  readonly labId: string;
  readonly nodeId: string;
  readonly nodeName: string;
}

export interface BucketKeys {
  /**
   * Calls `first` with the bucket; where the service rejects the key, asks for another, at most twice.
   * @throws prompt_unanswered, and what `first` throws
   */
  open<T>(
    place: BucketPlace,
    asker: KeyAsker,
    signal: AbortSignal,
    first: (bucket: Bucket) => Promise<T>,
  ): Promise<{ bucket: Bucket; found: T }>;
}

/** For hosts without a secret store. */
export const keepsNothing: SecretStore = {
  kind: 'memory',
  get: () => Promise.resolve(undefined),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
};

const maxAttempts = 3;
/** Messages of S3 and compatible services for a wrong key. */
const wrongKey = /SignatureDoesNotMatch|InvalidAccessKeyId|InvalidSecurity|AuthorizationHeaderMalformed/;

export function createBucketKeys(prompter: Prompter, secrets: SecretMemory): BucketKeys {
  return {
    async open(place, asker, signal, first) {
      const { host } = new URL(place.endpoint);
      const name = `bucket-key:${place.accessKeyId}@${host.toLowerCase()}`;
      for (let turn = 1; ; turn += 1) {
        let secret = place.accessKeyId === '' ? '' : await secrets.get(name);
        let remember = false;
        if (secret === undefined) {
          const { bucket, accessKeyId } = place;
          const answer = await prompter.ask(
            { ...asker, kind: 'bucket-key', host, bucket, accessKeyId, again: turn > 1 },
            signal,
          );
          if (answer.kind !== 'secret') throw new RinglabError('prompt_unanswered', { host });
          secret = answer.secret;
          remember = answer.remember;
        }
        const bucket = createBucket(place, secret);
        try {
          const found = await first(bucket);
          if (place.accessKeyId !== '') await secrets.keep(name, secret, remember);
          return { bucket, found };
        } catch (error) {
          const refused = error instanceof RinglabError && error.code === 'bucket_refused';
          if (!refused || !wrongKey.test(String(error.params.reason)) || place.accessKeyId === '')
            throw error;
          await secrets.forget(name);
          if (turn === maxAttempts) throw error;
        }
      }
    },
  };
}
