/** Questions that main asks the person while a request is under way. */
import { z } from 'zod';

const Where = {
  id: z.string(),
  labId: z.string(),
  nodeId: z.string(),
  nodeName: z.string(),
  host: z.string(),
  askedAt: z.number(),
};

export const Prompt = z.discriminatedUnion('kind', [
  z.object({ ...Where, kind: z.literal('host-key'), keyType: z.string(), fingerprint: z.string() }),
  z.object({ ...Where, kind: z.literal('password'), user: z.string() }),
  z.object({ ...Where, kind: z.literal('passphrase'), keyFile: z.string() }),
  /** Keyboard-interactive: the server's own words. */
  z.object({
    ...Where,
    kind: z.literal('interactive'),
    title: z.string(),
    instructions: z.string(),
    prompts: z.array(z.object({ text: z.string(), echo: z.boolean() })),
  }),
  z.object({ ...Where, kind: z.literal('sudo'), user: z.string() }),
]);
export type Prompt = z.infer<typeof Prompt>;
/** A question before it has an id. */
export type Question = Prompt extends infer P
  ? P extends Prompt
    ? Omit<P, 'id' | 'askedAt'>
    : never
  : never;

export const PromptAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accept') }),
  /** Refuse the key, or give up. */
  z.object({ kind: z.literal('refuse') }),
  z.object({ kind: z.literal('secret'), secret: z.string().max(4096), remember: z.boolean() }),
  z.object({ kind: z.literal('answers'), answers: z.array(z.string().max(4096)).max(32) }),
]);
export type PromptAnswer = z.infer<typeof PromptAnswer>;
