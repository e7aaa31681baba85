/** Reads of a project's `uv.lock` what decides before uv is asked: its indexes, its PyTorch, and what lies beside it. */
import { parse } from 'smol-toml';
import * as z from 'zod';
import { mayCountOnNodes } from './node-markers.ts';

const Package = z.object({
  name: z.string(),
  version: z.string().optional(),
  source: z.object({
    registry: z.string().optional(),
    directory: z.string().optional(),
    editable: z.string().optional(),
    path: z.string().optional(),
    virtual: z.string().optional(),
  }),
  dependencies: z.array(z.object({ name: z.string() })).optional(),
  'resolution-markers': z.array(z.string()).optional(),
});
type Package = z.infer<typeof Package>;
const Lock = z.object({ 'requires-python': z.string().optional(), package: z.array(Package).optional() });

/** Undefined where it is none: uv says why. */
export function tomlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Nothing where it is none, or of a form that is not known: uv says why. */
const lockOf = (text: string): z.infer<typeof Lock> => Lock.safeParse(tomlOf(text)).data ?? {};

/** The specifier of Pythons that it is for. */
export const pythonOfLock = (text: string): string | undefined => lockOf(text)['requires-python'];

/** The addresses of its registries, and whether PyTorch is among its packages. */
export function registriesOf(text: string): {
  readonly addresses: readonly string[];
  readonly hasTorch: boolean;
} {
  const packages = lockOf(text).package ?? [];
  const addresses = packages.flatMap(({ source: { registry = '' } }) =>
    /^https?:\/\//.test(registry) ? [registry.replace(/\/+$/, '')] : [],
  );
  return { addresses: [...new Set(addresses)], hasTorch: packages.some(({ name }) => name === 'torch') };
}

/** Its PyTorch for nodes; undefined where there are several, which only uv can tell apart. */
export function torchLocked(text: string): string | undefined {
  const versions = (lockOf(text).package ?? []).flatMap(
    ({ name, version, 'resolution-markers': markers = [] }) =>
      name === 'torch' && version !== undefined && (markers.length === 0 || markers.some(mayCountOnNodes))
        ? [version]
        : [],
  );
  const [only, ...others] = new Set(versions);
  return others.length > 0 ? undefined : only;
}

/** Of a package that lies beside the lock; an absolute path is the node's own. */
const placeOf = ({ source: { directory, editable, path, virtual } }: Package): string | undefined =>
  directory ?? editable ?? path ?? virtual;

/** The first package that an installation needs, and that lies beside the lock: `lib = { path = "lib" }`. */
export function besideLock(text: string): string | undefined {
  const packages = lockOf(text).package ?? [];
  const seen = new Set(packages.filter((one) => placeOf(one) === '.'));
  // A set goes on to what is added while it is walked through.
  for (const one of seen) {
    const place = placeOf(one);
    if (place !== undefined && place !== '.' && !place.startsWith('/'))
      return `${one.name} = { path = "${place}" }`;
    for (const { name } of one.dependencies ?? [])
      for (const needed of packages) if (needed.name === name) seen.add(needed);
  }
  return undefined;
}
