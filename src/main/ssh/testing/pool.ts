/** For tests: a pool with its own home and data folder, secrets in memory, and a user with scripted answers. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PromptAnswer, Question } from '../../../shared/contract/prompts.ts';
import type { ConnectionState } from '../../../shared/node/provision.ts';
import type { SecretStore } from '../../base/platform.ts';
import type { SshTarget } from '../contract.ts';
import { createSshPool, type SshPoolOptions, type SshPoolWithTrust } from '../session/pool.ts';
import type { Prompter } from '../login/prompter.ts';
import type { Sshd } from './sshd.ts';

export interface Person extends Prompter {
  /** All questions, in order. */
  readonly questions: Question[];
}

/** Answers each question with the result of `reply`; an unexpected question fails the connection. */
export function person(reply: (question: Question) => PromptAnswer | Promise<PromptAnswer>): Person {
  const questions: Question[] = [];
  return {
    questions,
    async ask(question) {
      questions.push(question);
      return await reply(question);
    },
  };
}

/** Trusts every new host; other questions are unexpected. */
export const trusting = (): Person =>
  person((question) => {
    if (question.kind !== 'host-key') throw new Error(`an unexpected question: ${question.kind}`);
    return { kind: 'accept' };
  });

export function memorySecrets(): SecretStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    kind: 'memory',
    values,
    get: (key) => Promise.resolve(values.get(key)),
    set: (key, value) => Promise.resolve(void values.set(key, value)),
    delete: (key) => Promise.resolve(void values.delete(key)),
  };
}

export interface TestPool {
  readonly pool: SshPoolWithTrust;
  readonly person: Person;
  readonly secrets: ReturnType<typeof memorySecrets>;
  readonly states: ConnectionState[];
  /** The user's home: contains `.ssh/known_hosts`. */
  readonly home: string;
  readonly dataFolder: string;
  writeKnownHosts(text: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

export async function testPool(
  options: Partial<Omit<SshPoolOptions, 'prompter' | 'home' | 'dataFolder' | 'onState'>> & {
    person?: Person;
  } = {},
): Promise<TestPool> {
  const { person: who = trusting(), ...rest } = options;
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-ssh-'));
  const home = join(folder, 'home');
  const dataFolder = join(folder, 'data');
  await mkdir(join(home, '.ssh'), { recursive: true });
  await mkdir(dataFolder);
  const secrets = memorySecrets();
  const states: ConnectionState[] = [];
  const pool = createSshPool({
    prompter: who,
    secrets,
    home,
    dataFolder,
    systemKnownHosts: [],
    agentSocket: undefined,
    onState: (state) => states.push(state),
    ...rest,
  });
  return {
    pool,
    person: who,
    secrets,
    states,
    home,
    dataFolder,
    async writeKnownHosts(text) {
      const path = join(home, '.ssh', 'known_hosts');
      await writeFile(path, text);
      return path;
    },
    async close() {
      await pool.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A target for a server of `startSshd`, with its key; `change` overrides fields. */
export const targetOf = (sshd: Sshd, change: Partial<SshTarget> = {}): SshTarget => ({
  labId: 'lab',
  nodeId: 'node',
  nodeName: 'node 1',
  host: sshd.host,
  port: sshd.port,
  user: sshd.user,
  authentication: { method: 'key', keyFile: sshd.keyFile },
  ...change,
});
