/** The user's SSH agent, including certificates, which ssh2 omits from its list. */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ssh2, {
  type BaseAgent as Agent,
  type IdentityCallback,
  type ParsedKey,
  type SignCallback,
  type SigningRequestOptions,
} from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { reasonOf, WordedError } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';
import type { SshHop } from '../contract.ts';
import { fieldReader, parseCertificate, publicKeyOf } from '../trust/certificate.ts';
import { keyTypeOf } from '../trust/fingerprint.ts';
import { withCertificate } from './ssh2-certificates.ts';
import { describeCertificate } from './user-certificate.ts';

const { BaseAgent, createAgent } = ssh2;
const requestIdentities = Buffer.from([0, 0, 0, 1, 11]);
const identitiesAnswer = 12;
const largest = 1024 * 1024;
const maxKeys = 1000;
const answerMs = 10_000;

/** ssh2's socket agents have this method; Pageant does not. */
interface Streaming {
  getStream(done: (error: Error | null | undefined, stream?: Duplex) => void): void;
}
const isStreaming = (agent: unknown): agent is Streaming =>
  typeof agent === 'object' && agent !== null && 'getStream' in agent;

/** Public keys and certificates as the agent has them (draft-miller-ssh-agent, 3.5). */
function listBlobs(agent: Streaming): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    agent.getStream((failure, stream) => {
      if (stream === undefined || failure) {
        reject(failure ?? new WordedError(phrase('reasons.agent.noConnection')));
        return;
      }
      let bytes = Buffer.alloc(0);
      const finish = (outcome: () => void): void => {
        clearTimeout(timer);
        outcome();
        stream.destroy();
      };
      const fail = (reason: Phrase | string): void => finish(() => reject(new WordedError(reason)));
      const timer = setTimeout(() => fail(phrase('reasons.noAnswer')), answerMs);
      stream.on('error', (error: Error) => fail(error.message));
      stream.on('close', () => fail(phrase('reasons.agent.hungUp')));
      stream.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (bytes.length > largest) fail(phrase('reasons.agent.long'));
        if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE()) return;
        try {
          const answer = fieldReader(bytes).text();
          if (answer[0] !== identitiesAnswer) throw new WordedError(phrase('reasons.agent.refuses'));
          const reader = fieldReader(answer.subarray(1));
          const count = Math.min(reader.uint32(), maxKeys);
          const blobs = Array.from({ length: count }, () => {
            const blob = Buffer.from(reader.text());
            reader.text(); // The comment.
            return blob;
          });
          finish(() => resolve(blobs));
        } catch (error) {
          fail(error instanceof RangeError ? phrase('reasons.cutShort') : reasonOf(error));
        }
      });
      stream.write(requestIdentities);
    });
  });
}

class ListedAgent extends BaseAgent<ParsedKey> {
  private readonly inner: Agent;
  private readonly keys: readonly ParsedKey[];

  constructor(inner: Agent, keys: readonly ParsedKey[]) {
    super();
    this.inner = inner;
    this.keys = keys;
  }

  override getIdentities(done: IdentityCallback<ParsedKey>): void {
    done(null, [...this.keys]);
  }

  override sign(
    key: ParsedKey,
    data: Buffer,
    options: SigningRequestOptions | SignCallback,
    done?: SignCallback,
  ): void {
    // The agent looks up the private key by the result of `getPublicSSH`: for a certificate the certificate.
    if (typeof options === 'function') this.inner.sign(key, data, {}, options);
    else this.inner.sign(key, data, options, done);
  }
}

/** The public keys of an agent; none where it does not answer. */
export async function agentKeys(socket: string | undefined): Promise<Buffer[]> {
  try {
    const { agent } = await openAgent(socket, '', Date.now() / 1000);
    return await new Promise((resolve) =>
      agent.getIdentities((error, keys = []) =>
        resolve(
          error
            ? []
            : keys.flatMap((key) =>
                typeof key === 'object' && 'getPublicSSH' in key ? [key.getPublicSSH()] : [],
              ),
        ),
      ),
    );
  } catch {
    return [];
  }
}

/** The socket that a login names, with `~` expanded, or that of the user's own agent. */
export function loginSocket(
  authentication: SshHop['authentication'],
  { home, agentSocket: own }: { readonly home: string; readonly agentSocket: string | undefined },
): string | undefined {
  const socket = (authentication.method === 'agent' ? authentication.socket?.trim() : undefined) ?? '';
  if (socket === '') return own;
  return socket.startsWith('~/') ? join(home, socket.slice(2)) : socket;
}

export interface OpenAgent {
  readonly agent: Agent;
  /** Its certificates, for the message where none is accepted. */
  readonly certificates: readonly Phrase[];
}

/**
 * Certificates come first, since a server counts every key that it refuses; expired ones are skipped. Throws
 * `agent_missing`, `agent_silent` or `agent_empty`.
 * @param now Unix seconds
 */
export async function openAgent(socket: string | undefined, user: string, now: number): Promise<OpenAgent> {
  if (socket === undefined || socket === '') throw new RinglabError('agent_missing');
  const inner = createAgent(socket);
  const silent = (error: unknown): RinglabError =>
    new RinglabError('agent_silent', { socket }, { detail: reasonOf(error), cause: error });
  if (!isStreaming(inner)) {
    const count = await new Promise<number>((resolve, reject) =>
      inner.getIdentities((error, list) => (error ? reject(error) : resolve(list?.length ?? 0))),
    ).catch((error: unknown) => {
      throw silent(error);
    });
    if (count === 0) throw new RinglabError('agent_empty', { socket });
    return { agent: inner, certificates: [] };
  }
  const blobs = await listBlobs(inner).catch((error: unknown) => {
    throw silent(error);
  });
  const withOne: ParsedKey[] = [];
  const plain: ParsedKey[] = [];
  const certificates: Phrase[] = [];
  for (const blob of blobs) {
    const certificate = parseCertificate(blob);
    const key = publicKeyOf(certificate?.key ?? blob);
    if (key === undefined) continue;
    if (certificate === undefined) plain.push(key);
    else {
      certificates.push(describeCertificate(certificate, user, now));
      if (!certificate.isHost && now < certificate.validBefore)
        withOne.push(withCertificate(key, certificate));
    }
  }
  if (withOne.length + plain.length + certificates.length === 0) {
    const kinds = [...new Set(blobs.map((blob) => keyTypeOf(blob) ?? '?'))].slice(0, 10).join(', ');
    const detail = kinds === '' ? undefined : phrase('reasons.agent.kinds', { kinds });
    throw new RinglabError('agent_empty', { socket }, { detail });
  }
  return { agent: new ListedAgent(inner, [...withOne, ...plain]), certificates };
}
