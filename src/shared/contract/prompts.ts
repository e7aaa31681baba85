/** Questions that main asks the user while a request is under way. */
import * as z from 'zod';
import { Phrase } from '../base/phrase.ts';

const Where = {
  id: z.string(),
  labId: z.string(),
  nodeId: z.string(),
  nodeName: z.string(),
  host: z.string(),
  askedAt: z.number(),
};

/** A file on this computer. */
const OwnFile = z.object({
  path: z.string(),
  bytes: z.number().nonnegative(),
  kind: z.string(),
  sha256: z.string(),
});

/** Whether the previous answer was wrong. */
const Again = z.boolean().optional();

export const Prompt = z.discriminatedUnion('kind', [
  z.object({
    ...Where,
    kind: z.literal('host-key'),
    keyType: z.string(),
    fingerprint: z.string(),
    /** Other keys that are known already: of another type, or, behind jump hosts, of the address alone. */
    knownOther: z
      .array(z.object({ keyType: z.string(), fingerprint: z.string(), place: z.string() }))
      .optional(),
    /** Lines of known_hosts that cannot be read: file, line, reason. */
    skippedLines: z.array(Phrase).optional(),
  }),
  /** The server offers no stronger algorithm that the client supports; allowed for this host only. */
  z.object({
    ...Where,
    kind: z.literal('weak-algorithms'),
    algorithms: z.array(z.object({ name: z.string(), why: Phrase })).min(1),
  }),
  z.object({ ...Where, kind: z.literal('password'), user: z.string(), again: Again }),
  z.object({ ...Where, kind: z.literal('passphrase'), keyFile: z.string(), again: Again }),
  /** Keyboard-interactive: the server's own text. */
  z.object({
    ...Where,
    kind: z.literal('interactive'),
    title: z.string(),
    instructions: z.string(),
    prompts: z.array(z.object({ text: z.string(), echo: z.boolean() })),
  }),
  z.object({ ...Where, kind: z.literal('sudo'), user: z.string(), again: Again }),
  /** The secret access key of a bucket; `host` is its service. */
  z.object({
    ...Where,
    kind: z.literal('bucket-key'),
    bucket: z.string(),
    accessKeyId: z.string(),
    again: Again,
  }),
  /** The value of a secret environment variable of the lab's script; `host` and `nodeName` are the lab's name. */
  z.object({ ...Where, kind: z.literal('script-variable'), variable: z.string() }),
  /** May the node use this computer's internet connection for its downloads? Asked once; a lab cannot answer it. */
  z.object({ ...Where, kind: z.literal('lend') }),
  /** What would be changed on the node outside the app's own folder, with the exact commands; `accept` allows it. */
  z.object({
    ...Where,
    kind: z.literal('consent'),
    /** `prepare`: a step needs it, and the answer is remembered. The others destroy something, and are asked each time. */
    purpose: z.enum(['prepare', 'reboot', 'remove']),
    changes: z
      .array(z.object({ what: Phrase, command: z.string() }))
      .min(1)
      .max(50),
    /** Local files that are sent to the node for it. */
    files: z.array(OwnFile).max(10).optional(),
  }),
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
  /** Reject the key, or cancel. */
  z.object({ kind: z.literal('refuse') }),
  z.object({ kind: z.literal('secret'), secret: z.string().max(4096), remember: z.boolean() }),
  z.object({ kind: z.literal('answers'), answers: z.array(z.string().max(4096)).max(32) }),
]);
export type PromptAnswer = z.infer<typeof PromptAnswer>;
