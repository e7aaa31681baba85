/**
 * Random client messages, with and against the contract's schemas: answered, refused or disconnected; never an
 * exception.
 */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { requests, type RequestName } from '../../shared/contract/api.ts';
import { errorCodes, isCancelled, RinglabError } from '../../shared/base/errors.ts';
import {
  anyText,
  anyTree,
  forEachCase,
  fuzzTimeout,
  mutateTree,
  type Random,
} from '../../shared/testing/fuzz.ts';
import { createEventLog } from '../base/events.ts';
import { createDispatcher } from './dispatcher.ts';
import { invoke } from './handlers.ts';
import { handlersWith, makeWire, settle } from './testing/wire.ts';

/** The part of JSON Schema that zod generates for the contract. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A random value that is valid or almost valid for the schema: patterns of strings are ignored. */
function sample(schema: Schema, root: Schema, random: Random, depth = 6): unknown {
  const one = (inner: Schema): unknown => sample(inner, root, random, depth - 1);
  if (depth <= 0) return null;
  if (schema.$ref !== undefined) return one(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? root);
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return one(random.pick(choices));
  switch (schema.type ?? 'any') {
    case 'object': {
      const entries = Object.entries(schema.properties ?? {})
        .filter(([name]) => schema.required?.includes(name) === true || random.chance(0.5))
        .map(([name, inner]) => [name, one(inner)] as const);
      return Object.fromEntries(entries);
    }
    case 'array':
      return Array.from({ length: (schema.minItems ?? 0) + random.below(3) }, (_, index) =>
        one(schema.prefixItems?.[index] ?? (schema.items === false ? {} : (schema.items ?? {}))),
      );
    case 'string':
      return random.pick([
        'a',
        'lab-1',
        '00000000-0000-4000-8000-000000000000',
        '127.0.0.1',
        anyText(random),
      ]);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, random.below(50)));
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return anyTree(random, 2);
  }
}

// Object.keys returns strings; these are the contract's names.
const names = Object.keys(requests) as RequestName[];
const schemas = new Map(
  names.map((name) => [
    name,
    // zod's output has the type Schema.
    z.toJSONSchema(requests[name].args, { unrepresentable: 'any', io: 'input' }) as Schema,
  ]),
);
const argsOf = (name: RequestName, random: Random): unknown => {
  const schema = schemas.get(name) ?? {};
  const good = sample(schema, schema, random);
  // Only one change: several may nest the value too deeply for the mutator itself.
  return random.chance(0.7) ? mutateTree(good, random, 1) : good;
};

it('the sampler matches the schemas: most requests accept its values', async () => {
  const taken = new Set<string>();
  await forEachCase(
    'sampler',
    (random) => {
      for (const name of names) {
        const schema = schemas.get(name) ?? {};
        if (requests[name].args.safeParse(sample(schema, schema, random)).success) taken.add(name);
      }
    },
    40,
  );
  expect(taken.size).toBeGreaterThan(names.length * 0.7);
});

it('arguments reach a handler as its schema defines, or are a RinglabError', { timeout: fuzzTimeout() }, () =>
  forEachCase('arguments', async (random) => {
    const name = random.chance(0.05) ? anyText(random) : random.pick(names);
    const args = name in requests ? argsOf(name as RequestName, random) : anyTree(random); // Checked just before.
    let reached: unknown;
    const all = Object.fromEntries(
      names.map((each) => [
        each,
        (given: unknown) => ((reached = given), Promise.reject(new RinglabError('cancelled'))),
      ]),
    );
    // Every name has a handler.
    const handlers = handlersWith(all);
    const error: unknown = await invoke(
      handlers,
      name,
      args,
      { signal: new AbortController().signal },
      true,
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RinglabError);
    if (isCancelled(error)) {
      expect(requests[name as RequestName].args.safeParse(reached).success).toBe(true); // It reached a handler.
    } else {
      expect(reached).toBeUndefined();
    }
  }),
);

it(
  'messages of any form are answered with a code, ignored, or close the connection',
  { timeout: fuzzTimeout() },
  () =>
    forEachCase('messages', async (random) => {
      const wire = makeWire();
      const dispatcher = createDispatcher({ handlers: handlersWith({}), events: createEventLog() });
      dispatcher.serve(wire.transport);
      for (let n = random.below(30); n > 0; n -= 1) {
        const name = random.pick(names);
        const args = argsOf(name, random);
        const head: unknown = { type: 'request', id: random.below(5), name };
        const broken = random.chance(0.5) ? mutateTree(head, random, 1) : head;
        wire.say(random.chance(0.2) ? anyTree(random) : Object.assign(Object(broken), { args }));
      }
      await settle();
      await settle();
      for (const message of wire.sent) {
        if (message.type === 'failure') expect(errorCodes).toContain(message.error.code);
        expect(message.type).not.toBe('response');
      }
      wire.drop();
    }),
);
