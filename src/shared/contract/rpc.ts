/** Message envelopes and the Transport interface, which only moves messages. */
import * as z from 'zod';
import { WireError } from '../base/errors.ts';

/** From the client. Main validates `args` with the request's own schema. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    id: z.number().int().nonnegative(),
    name: z.string().max(80),
    args: z.unknown(),
  }),
  /** Cancels a request, which then answers with `cancelled`. */
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
 * Replaces an event that a newer one of the same subject made obsolete: its `seq` counts, its data is empty. Clients
 * skip it as they skip every unknown name.
 */
export const skippedEvent = 'skipped';

/** From main. Events come in batches, at most ten a second, with `seq` ascending and without gaps. */
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

/** One client's connection, the same interface at both ends. Messages arrive in order or the connection closes. */
export interface Transport<Out, In> {
  send(message: Out): void;
  /** Registers the only listener; earlier messages are buffered for it. Returns a function that unsubscribes. */
  onMessage(listener: (message: In) => void): () => void;
  /** Called once when the connection is closed for good. */
  onClose(listener: () => void): () => void;
  close(): void;
}
export type ClientTransport = Transport<ClientMessage, unknown>;
export type ServerTransport = Transport<ServerMessage, unknown>;
