/**
 * Records who built a trainer, and decides which nodes may run it. A trainer built by a node runs on no other node,
 * unless the user lets both share. A node is identified by its drawn address and its verified host key, never by its
 * own claims.
 */
import { hostname } from 'node:os';
import * as z from 'zod';
import { jumpWords } from '../../../shared/lab/access.ts';
import { type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { oneLine } from '../../../shared/base/plain-text.ts';
import { hashText } from '../../transfer/index.ts';
import type { SshSession } from '../../ssh/index.ts';
import { phrase } from '../../i18n/index.ts';

/** A machine and an account on it, as SSH reaches it. */
export interface Machine {
  /** Hash of the place and the host key; of a local node that of this computer and the app's account. */
  readonly id: string;
  /** `user@host:port`, after its jump hosts, if any. */
  readonly place: string;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly jump?: Address | undefined;
}

const placeOf = (address: Address): string => jumpWords({ jump: address });

export function machineOf({ target, hostKey }: Pick<SshSession, 'target' | 'hostKey'>): Machine {
  const place = placeOf(target);
  const identity =
    target.thisComputer === true ? ['this computer', hostname(), process.getuid?.() ?? ''] : [place, hostKey];
  return { id: hashText(JSON.stringify(identity)).slice(0, 32), place };
}

export const TrainerOrigin = z.object({
  /**
   * `here`: this computer, for itself or for one of its local nodes. `bundle`: another computer's, imported by the
   * user.
   */
  by: z.enum(['here', 'node', 'bundle']),
  machine: oneLine(64),
  place: oneLine(4096),
  /** Its name at that time, for display. */
  name: oneLine(120),
  /** Unix seconds. */
  at: z.number().min(0).max(1e12),
});
export type TrainerOrigin = z.infer<typeof TrainerOrigin>;

/** A node that needs a trainer. */
export interface Runner {
  readonly isLocal: boolean;
  readonly machine: Machine;
  readonly name: string;
  /** Places of the nodes with which it shares builds. */
  readonly shares: ReadonlySet<string>;
  /** Runners of one circle may run each other's builds: they wait for one build. */
  readonly circle: string;
}

const shares = (node: LabNode): boolean =>
  node.shareBuilds === true && node.kind !== 'switch' && node.access.type === 'ssh';

export function runnerOf(lab: LabDocument, node: LabNode, machine: Machine): Runner {
  const isLocal = node.access.type === 'local';
  const isSharing = shares(node);
  return {
    isLocal,
    machine,
    name: node.name,
    shares: new Set(
      isSharing
        ? lab.nodes.flatMap((one) => (shares(one) && one.access.type === 'ssh' ? [placeOf(one.access)] : []))
        : [],
    ),
    circle: isLocal ? 'here' : isSharing ? `lab ${lab.id}` : machine.id,
  };
}

/** The origin of a trainer built on this computer. */
export const ownOrigin = (now: number): TrainerOrigin => ({
  by: 'here',
  machine: 'here',
  place: 'here',
  name: '',
  at: now / 1000,
});

/** The origin of a trainer built on this node. */
export const originOf = (runner: Runner, now: number): TrainerOrigin =>
  runner.isLocal
    ? ownOrigin(now)
    : {
        by: 'node',
        machine: runner.machine.id,
        place: runner.machine.place,
        name: runner.name,
        at: now / 1000,
      };

/** This computer, and therefore its local nodes, run only trainers built here or shipped with the app. */
export function mayRun(origin: TrainerOrigin, runner: Runner): boolean {
  if (origin.by === 'here') return true;
  if (runner.isLocal) return false;
  if (origin.by === 'bundle') return true;
  return origin.machine === runner.machine.id || runner.shares.has(origin.place);
}

/** Builders whose existing trainers a node may keep using, where this computer has no suitable one. */
export const buildersFor = ({ isLocal, machine }: Runner): readonly string[] =>
  isLocal ? [machineIn(undefined)] : [machineIn(undefined), machine.id];

/** The machine that built a trainer, for the note beside it; this computer where it came with the app. */
export const machineIn = (origin: TrainerOrigin | undefined): string => origin?.machine ?? 'here';

const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');

/** For logs and summaries. */
export const originWords = (origin: TrainerOrigin): Phrase => {
  const day = `${dayOf(origin.at)} UTC`;
  switch (origin.by) {
    case 'here':
      return phrase('summaries.origin.here', { day });
    case 'bundle':
      return phrase('summaries.origin.bundle', { day });
    case 'node':
      return phrase('summaries.origin.node', { name: origin.name, place: origin.place, day });
  }
};
