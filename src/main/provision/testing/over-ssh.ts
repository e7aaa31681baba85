/** For tests: a provisioner that reaches its nodes over SSH with the app's own pool, without fakes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { createReach } from '../../local/index.ts';
import { createSshPool, type SshSession } from '../../ssh/index.ts';
import type { Sshd } from '../../ssh/testing/sshd.ts';
import { keepsNothing } from '../data/bucket-keys.ts';
import type { Provisioner } from '../service/contract.ts';
import { createProvisioner } from '../service/provisioner.ts';
import { createAsker } from './asker.ts';
import { describeAsCurrent, labOf, nativeSource, trainerBinary } from './bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';

export interface OverSsh {
  readonly provisioner: Provisioner;
  readonly dataFolder: string;
  session(lab: LabDocument, nodeId: string): Promise<SshSession>;
  close(): Promise<void>;
}

export function createOverSsh(): OverSsh {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-over-ssh-'));
  const prompter = createAsker();
  const pool = createSshPool({
    prompter,
    secrets: keepsNothing,
    home: folder,
    dataFolder: folder,
    agentSocket: undefined,
    systemKnownHosts: [],
  });
  const reach = createReach({ pool, dataFolder: folder });
  const provisioner = createProvisioner({
    reach,
    events: { emit: () => undefined },
    paths: { nativeSource, trainerBinary, data: folder, home: folder },
    describeBinary: describeAsCurrent,
    prompter,
    // Tests wait for addresses that do not answer.
    connectSeconds: 1.5,
  });
  return {
    provisioner,
    dataFolder: folder,
    session: (lab, nodeId) => reach.session(lab, nodeId),
    async close() {
      await reach.close();
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A lab with a node for each server, with these names, in this order. */
export async function labOver(servers: Readonly<Record<string, Sshd>>): Promise<LabDocument> {
  const drawn = labOf(Object.keys(servers), { port: await freePort() });
  return {
    ...drawn,
    nodes: drawn.nodes.map((node) => {
      const server = servers[node.name];
      if (server === undefined) throw new Error(`${node.name} has no server`);
      const { host, port, user, keyFile } = server;
      return {
        ...node,
        access: { type: 'ssh', host, port, user, authentication: { method: 'key', keyFile } },
      };
    }),
  };
}
