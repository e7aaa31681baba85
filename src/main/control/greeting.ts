/** Greetings at both ends of the control channel: version and authentication. */
import * as z from 'zod';

/** Version of the greetings only; the messages after them are `src/shared/contract/rpc.ts`. */
export const controlProtocol = 1;

const kinds = z.enum(['electron', 'web', 'cli']);

/** `control.json` in the data folder: where the app that holds the folder listens. Readable by its user only. */
export const ControlFile = z.object({
  protocol: z.number().int(),
  version: z.string().max(80),
  pid: z.number().int().positive(),
  kind: kinds,
  /** The socket’s path, or the pipe’s name. */
  address: z.string().min(1).max(4096),
  /** Sent by a client: the owner of a named pipe cannot be checked in Node.js. */
  secret: z.string().min(32).max(128),
});
export type ControlFile = z.infer<typeof ControlFile>;

export const ClientGreeting = z.object({
  protocol: z.number().int(),
  version: z.string().max(80),
  secret: z.string().max(128),
  /** Whether its user can be asked for passwords and host keys. */
  answers: z.boolean(),
});
export type ClientGreeting = z.infer<typeof ClientGreeting>;

export const ServerGreeting = z.object({
  welcome: z.boolean(),
  version: z.string().max(80),
  pid: z.number().int().positive(),
  kind: kinds,
  /** Identity of the data folder: a copied folder contains the address of the app that holds the original. */
  folder: z.string().max(80),
});
export type ServerGreeting = z.infer<typeof ServerGreeting>;
