/** Reads what the official client leaves out of a kubeconfig, though kubectl takes it. Pure. */
import * as z from 'zod';
import { WordedError } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';

/** YAML makes of a user id without quotation marks a number. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const User = z.object({
  tokenFile: z.string().nullish(),
  as: text.nullish(),
  'as-uid': text.nullish(),
  'as-groups': z.array(text).nullish(),
  'as-user-extra': z.record(z.string(), z.array(text)).nullish(),
});
const Cluster = z.object({
  extensions: z.array(z.object({ name: text, extension: z.unknown() })).nullish(),
});
const Document = z.object({
  users: z.array(z.object({ name: text, user: User.nullish() })).nullish(),
  clusters: z.array(z.object({ name: text, cluster: Cluster.nullish() })).nullish(),
});
/** The extension of a cluster that is for login programs. */
const forPrograms = 'client.authentication.k8s.io/exec';

export interface UserFields {
  /** As it is written. */
  readonly tokenFile: string | undefined;
  /** Beside the user as whom its requests are made, which the client sends. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
  /** Whether there is one. */
  readonly hasUser: boolean;
}

/** A header's name as client-go writes it: the server decodes it. */
const escaped = (key: string): string =>
  encodeURIComponent(key).replaceAll(/[()]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);

function fieldsOf(user: z.infer<typeof User>): UserFields {
  const impersonation: Record<string, string | string[]> = {};
  if (user['as-uid']) impersonation['Impersonate-Uid'] = user['as-uid'];
  const groups = user['as-groups'] ?? [];
  if (groups.length > 0) impersonation['Impersonate-Group'] = groups;
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {}))
    if (values.length > 0) impersonation[`Impersonate-Extra-${escaped(key)}`] = values;
  return { tokenFile: user.tokenFile || undefined, impersonation, hasUser: Boolean(user.as) };
}

/** By name; of several that have it the first counts. */
export interface Fields {
  readonly users: Map<string, UserFields>;
  /** What a cluster has for login programs. */
  readonly clusters: Map<string, unknown>;
}

/**
 * @param document the parsed file
 * @returns throws where a field has a type that kubectl refuses, too: rights would not be those that are meant
 */
export function fieldsIn(document: unknown): Fields {
  const { data, error } = Document.safeParse(document);
  if (error !== undefined) throw new Error(z.prettifyError(error));
  const users = new Map<string, UserFields>();
  for (const { name, user } of data.users ?? []) if (!users.has(name)) users.set(name, fieldsOf(user ?? {}));
  const clusters = new Map<string, unknown>();
  for (const { name, cluster } of data.clusters ?? [])
    if (!clusters.has(name))
      clusters.set(name, cluster?.extensions?.find((one) => one.name === forPrograms)?.extension);
  return { users, clusters };
}

/** The headers of a user's requests. Throws as kubectl does where groups, an id or more are named, but no user. */
export function impersonationOf(name: string, fields: UserFields | undefined): UserFields['impersonation'] {
  if (fields === undefined) return {};
  if (!fields.hasUser && Object.keys(fields.impersonation).length > 0)
    throw new WordedError(phrase('reasons.kubernetes.asNobody', { user: name }));
  return fields.impersonation;
}
