/** Envelopes and the Transport interface: a transport moves messages and does nothing else. */
import { z } from 'zod';
import { WireError } from '../base/errors.ts';

/** From the client. `args` is validated by the request's own schema, at main's door. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    id: z.number().int().nonnegative(),
    name: z.string().max(80),
    args: z.unknown(),
  }),
  /** The answer is not wanted any more; the request answers with `cancelled`. */
  z.object({ type: z.literal('cancel'), id: z.number().int().nonnegative() }),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

export const EventEnvelope = z.object({
  seq: z.number().int().positive(),
  name: z.string(),
  data: z.unknown(),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

/**
 * The name of an event in whose place a newer one of the same thing comes: its number counts, its data is empty. Clients
 * pass over it as over every name that they do not know.
 */
export const skippedEvent = 'skipped';

/** From main. Events come in batches, at most ten a second, `seq` ascending without holes. */
export const ServerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.literal(1),
    lastSeq: z.number().int().nonnegative(),
    session: z.string(),
  }),
  z.object({
    type: z.literal('response'),
    id: z.number().int().nonnegative(),
    ok: z.literal(true),
    value: z.unknown(),
  }),
  z.object({ type: z.literal('failure'), id: z.number().int().nonnegative(), error: WireError }),
  z.object({ type: z.literal('events'), events: z.array(EventEnvelope) }),
]);
export type ServerMessage = z.infer<typeof ServerMessage>;

/** One client's wire, seen from either end. Messages arrive in order or the wire closes. */
export interface Transport<Out, In> {
  send(message: Out): void;
  /** One listener; messages that came before it are kept for it. Returns how to stop. */
  onMessage(listener: (message: In) => void): () => void;
  /** Called once when the wire is gone for good. */
  onClose(listener: () => void): () => void;
  close(): void;
}
export type ClientTransport = Transport<ClientMessage, unknown>;
export type ServerTransport = Transport<ServerMessage, unknown>;
