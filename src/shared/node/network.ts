/** The state of a lab's emulated network: which links are emulated, what they lack, and their traffic. */
import * as z from 'zod';

/** Why a lab's links are not emulated. */
export const NotEmulated = z.enum([
  /** No link is drawn, or there is only one node. */
  'nothing_drawn',
  /** Some node is another machine, whose links are real. */
  'real_nodes',
  /** Network namespaces need Linux. */
  'system',
  /** Neither root nor sudo without a password. */
  'rights',
  /** `ip`, `tc` or `nsenter` is missing: `detail` has its name. */
  'programs',
  /** The kernel or container does not allow namespaces or veth: `detail` has its message. */
  'kernel',
  'too_many_nodes',
  /** Switched off by RINGLAB_NETWORK=off. */
  'switched_off',
  /** Can be emulated, and will be with the next run or preparation. */
  'not_raised',
]);
export type NotEmulated = z.infer<typeof NotEmulated>;

export const LinkProperty = z.enum(['bandwidth', 'delay', 'jitter', 'loss']);
export type LinkProperty = z.infer<typeof LinkProperty>;

export const LinkState = z.object({
  linkId: z.string(),
  emulated: z.boolean(),
  /** Drawn properties that this kernel does not support. */
  lacking: z.array(LinkProperty),
  down: z.boolean(),
});
export type LinkState = z.infer<typeof LinkState>;

/** A path between two neighbouring ranks: as drawn, and as measured before a run. */
export const PathMeasure = z.object({
  from: z.string(),
  to: z.string(),
  linkIds: z.array(z.string()),
  drawnMbps: z.number(),
  /** Round trip. */
  drawnRttMs: z.number(),
  /** The slower of both directions. */
  measuredMbps: z.number(),
  measuredRttMs: z.number(),
  /** Unix seconds. */
  at: z.number(),
});
export type PathMeasure = z.infer<typeof PathMeasure>;

export const NetworkState = z.object({
  labId: z.string(),
  emulated: z.boolean(),
  reason: NotEmulated.optional(),
  detail: z.string().optional(),
  links: z.array(LinkState),
  paths: z.array(PathMeasure),
});
export type NetworkState = z.infer<typeof NetworkState>;

/** Traffic of each link in the last second or so: bits per second from the first end to the second, and back. */
export const LinkTraffic = z.object({ linkId: z.string(), forward: z.number(), back: z.number() });
export type LinkTraffic = z.infer<typeof LinkTraffic>;
