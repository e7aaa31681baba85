/** The lab document (`*.lab.json`): type, schema, version and migrations. No secret is ever in it. */
import { z } from 'zod';
import { Annotations, maxPixels } from './annotation.ts';
import { LabId as Id } from './lab-id.ts';
import { commandWord, oneLine, paragraphs } from '../base/plain-text.ts';
import { Runtime } from './runtime.ts';
import { newLabSettings, settingsShape } from '../settings/index.ts';
import { maxWatches, ValueWatch } from '../metrics/value-watch.ts';

export const labVersion = 1;
/** A larger file is refused before it is parsed. */
export const labMaxBytes = 8 * 1024 * 1024;
export const maxNodes = 5000;
export const maxLinks = 20_000;

const Name = oneLine(120);
/** Of this computer or of a node. */
const Path = commandWord(4096);
const Host = commandWord(255);
const User = commandWord(120);
const Coordinate = z.number().min(-maxPixels).max(maxPixels);

export const NodeKind = z.enum(['gpu', 'cpu', 'switch']);
export type NodeKind = z.infer<typeof NodeKind>;

/** How to prove who we are. Passwords and passphrases are asked for and kept by the host, never here. */
export const Authentication = z.discriminatedUnion('method', [
  z.object({ method: z.literal('password') }),
  z.object({ method: z.literal('key'), keyFile: Path }),
  z.object({ method: z.literal('agent') }),
]);
export type Authentication = z.infer<typeof Authentication>;

const Port = z.number().int().min(1).max(65_535);

export const JumpHost = z.object({
  host: Host,
  port: Port,
  user: User,
  authentication: Authentication,
  /** The one before it, where it is itself behind another: OpenSSH's `ProxyJump first,second`. */
  get jump(): z.ZodOptional<typeof JumpHost> {
    return JumpHost.optional();
  },
});
export type JumpHost = z.infer<typeof JumpHost>;

/** All that a connection passes, from the first that it reaches. */
export function jumpHosts<Hop extends { readonly jump?: Hop | undefined }>(target: {
  readonly jump?: Hop | undefined;
}): Hop[] {
  return target.jump === undefined ? [] : [...jumpHosts<Hop>(target.jump), target.jump];
}
/** `user@host:port` with commas between, as `ssh -J` takes it. */
export const jumpWords = (target: { readonly jump?: JumpName | undefined }): string =>
  jumpHosts<JumpName>(target)
    .map(({ user, host, port }) => `${user === '' ? '' : `${user}@`}${host}:${port}`)
    .join(',');
interface JumpName {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly jump?: JumpName | undefined;
}

export const Access = z.discriminatedUnion('type', [
  /** An SSH server of the app's own on this machine. */
  z.object({ type: z.literal('local') }),
  z.object({
    type: z.literal('ssh'),
    host: Host,
    port: Port,
    user: User,
    authentication: Authentication,
    jump: JumpHost.optional(),
  }),
]);
export type Access = z.infer<typeof Access>;

export const Placement = z.object({
  region: Name,
  pool: Name,
  image: Name,
  flavour: z.object({ name: Name, gpuModel: Name, gpuCount: z.number().int().min(0).max(64) }),
  cpus: z.number().int().min(1).max(4096),
  memoryGb: z.number().positive().max(1_000_000),
  diskGb: z.number().positive().max(10_000_000),
});
export type Placement = z.infer<typeof Placement>;

export const LabNode = z.object({
  id: Id,
  name: Name,
  kind: NodeKind,
  position: z.object({ x: Coordinate, y: Coordinate }),
  placement: Placement,
  access: Access,
  /**
   * On this computer, for when the distribution's packages will not do: NVIDIA's own installer (`.run`), or its package
   * that sets up its repository (`.deb`).
   */
  driverFile: Path.optional(),
  /** While it is prepared, its downloads go through this computer's internet connection. */
  lendInternet: z.boolean().optional(),
  /**
   * Trainers that it builds may run on the lab's other nodes that share, and theirs on it. Without it, what a node builds
   * stays on it.
   */
  shareBuilds: z.boolean().optional(),
  /** Nodes of one group name are framed, selected and moved together; an Ansible inventory's groups. */
  group: Name.optional(),
  /** Stays where it is and is not deleted by accident. */
  locked: z.boolean().optional(),
});
export type LabNode = z.infer<typeof LabNode>;

export const LabLink = z.object({
  id: Id,
  ends: z.tuple([Id, Id]),
  bandwidthMbps: z.number().positive().max(1_000_000),
  delayMs: z.number().min(0).max(60_000),
  /** How far a packet's delay strays from it, either way. */
  jitterMs: z.number().min(0).max(60_000).optional(),
  lossPercent: z.number().min(0).max(100),
});
export type LabLink = z.infer<typeof LabLink>;

/** Edge in pixels that pictures are brought to. */
export const ImageSize = z.number().int().min(8).max(4096);
/** What is taken where a lab does not say: ImageNet's. */
const defaultImageSize = 224;

export const DataSource = z.discriminatedUnion('type', [
  /** Drawn by the trainer on each node: ten classes of shapes, a real ImageFolder of JPEGs. */
  z.object({
    type: z.literal('shapes'),
    train: z.number().int().min(10).max(10_000_000),
    validation: z.number().int().min(10).max(10_000_000),
    size: z.number().int().min(8).max(1024),
    seed: z.number().int().min(0).max(4_294_967_295),
  }),
  /** An ImageFolder (`train/`, `val/`), or the files of MNIST or CIFAR, already on every node at this path. */
  z.object({ type: z.literal('folder'), path: Path, size: ImageSize.optional() }),
  /** The same on this computer, sent to every node. */
  z.object({
    type: z.literal('upload'),
    path: Path,
    split: z.boolean().optional(),
    size: ImageSize.optional(),
  }),
  /** The same as an archive (tar or zip) that each node fetches by itself from the fastest of these addresses. */
  z.object({
    type: z.literal('url'),
    urls: z.array(commandWord(2000)).max(8),
    /** Of the archive, lower-case hex. */
    sha256: oneLine(64),
    size: ImageSize.optional(),
  }),
  /** The same, as objects below a prefix of an S3-compatible bucket, or one archive there: each node fetches them by itself. */
  z.object({
    type: z.literal('s3'),
    /** Its host may begin with the bucket's name, for services that want it there. */
    endpoint: commandWord(2000),
    region: Name,
    bucket: commandWord(255),
    prefix: oneLine(1024),
    /** Says who asks, as a user's name does; the secret key is asked for and never here. Empty: a public bucket. */
    accessKeyId: oneLine(256),
    split: z.boolean().optional(),
    size: ImageSize.optional(),
  }),
]);
export type DataSource = z.infer<typeof DataSource>;
/** Each node holds only its part of the training pictures; the validation's are whole on all. */
export const isSplit = (data: DataSource): boolean => 'split' in data && data.split === true;
export const imageSizeOf = ({ size }: DataSource): number => size ?? defaultImageSize;

/** The training settings (settings/table.ts), the data, and how nodes and links are used. */
export const Experiment = z.object({
  ...settingsShape,
  data: DataSource,
  /** `system` where a lab does not say. */
  runtime: Runtime.optional(),
  /** Real nodes send to each other no faster than the drawn links between them: `tc` on the nodes, as root. */
  limitLinks: z.boolean().optional(),
  /** Ranks on different machines exchange gradients through WireGuard, which is set up on the nodes as root. */
  encrypt: z.boolean().optional(),
  /** When a link goes down in mid-run: the run ends at its last checkpoint (the default), or waits for the link. */
  onLinkDown: z.enum(['stop', 'wait']).optional(),
  /** Values that the user is notified of when they pass a limit. */
  watches: z.array(ValueWatch).max(maxWatches).optional(),
  /** Rank 0 listens here; where it is taken the next free one is used and shown. */
  port: z.number().int().min(1024).max(65_535),
});
export type Experiment = z.infer<typeof Experiment>;

export const LabDocument = z.object({
  format: z.literal('ringlab-lab'),
  version: z.literal(labVersion),
  id: Id,
  name: Name,
  description: paragraphs(20_000),
  nodes: z.array(LabNode).max(maxNodes),
  links: z.array(LabLink).max(maxLinks),
  /** Notes and shapes on the drawing. */
  annotations: Annotations.optional(),
  experiment: Experiment,
});
export type LabDocument = z.infer<typeof LabDocument>;

export const defaultPlacement = (kind: NodeKind): Placement => ({
  region: 'local',
  pool: kind === 'gpu' ? 'GPU computing centre' : 'cloud data centre',
  image: 'debian-12',
  flavour:
    kind === 'gpu'
      ? { name: 'gpu.small', gpuModel: 'RTX 3080', gpuCount: 1 }
      : { name: 'cpu.small', gpuModel: '', gpuCount: 0 },
  cpus: 4,
  memoryGb: 8,
  diskGb: 200,
});

export const defaultExperiment = (): Experiment => ({
  ...newLabSettings(),
  data: { type: 'shapes', train: 2000, validation: 400, size: 32, seed: 1 },
  port: 8090,
});

export const emptyLab = (id: string, name: string): LabDocument => ({
  format: 'ringlab-lab',
  version: labVersion,
  id,
  name,
  description: '',
  nodes: [],
  links: [],
  experiment: defaultExperiment(),
});

/** One process on one node, whatever is drawn beside it. */
export const isOneProcess = ({ experiment }: LabDocument): boolean =>
  experiment.parallel === 'dp' || experiment.parallel === 'none';

/** The nodes that train: everything but switches, in document order. Rank 0 is on the first. */
export const trainingNodes = (lab: LabDocument): LabNode[] =>
  lab.nodes.filter((node) => node.kind !== 'switch').slice(0, isOneProcess(lab) ? 1 : undefined);
