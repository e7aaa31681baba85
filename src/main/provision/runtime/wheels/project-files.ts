/** Reads a project's `pyproject.toml`, with its `uv.lock` where there is one, for nodes, which have no other file of the project. */
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { normalised } from './index-page.ts';
import { besideLock, pythonOfLock, tomlOf } from './lock-file.ts';
import { readRequirements } from './requirement-files.ts';

const Source = z.object({ path: z.string().optional(), workspace: z.boolean().optional() });
const Sources = z.record(z.string(), z.union([Source, z.array(Source)]));
const Files = z.union([z.string(), z.array(z.string())]);

const Pyproject = z.object({
  project: z
    .object({
      dependencies: z.array(z.string()).optional(),
      dynamic: z.array(z.string()).optional(),
      'requires-python': z.string().optional(),
    })
    .optional(),
  'build-system': z.unknown().optional(),
  tool: z
    .object({
      setuptools: z
        .object({
          dynamic: z.object({ dependencies: z.object({ file: Files }).optional() }).optional(),
        })
        .optional(),
      uv: z.object({ sources: Sources.optional() }).optional(),
    })
    .optional(),
});
type Pyproject = z.infer<typeof Pyproject>;

/** Of `[tool.uv.sources]`: a package that it needs and that lies beside it. */
function besideProject({ project, tool }: Pyproject): string | undefined {
  const needed = new Set(
    (project?.dependencies ?? []).map((one) => normalised(/^\s*([\w.-]+)/.exec(one)?.[1] ?? '')),
  );
  for (const [name, given] of Object.entries(tool?.uv?.sources ?? {})) {
    if (!needed.has(normalised(name))) continue;
    for (const { path, workspace } of [given].flat()) {
      if (workspace === true) return `${name} = { workspace = true }`;
      if (path !== undefined && !path.startsWith('/')) return `${name} = { path = "${path}" }`;
    }
  }
  return undefined;
}

const refuseLocal = (file: string, line: string | undefined): void => {
  if (line !== undefined) throw new RinglabError('requirement_local', { file, line });
};

const unlisted = (line: string): RinglabError => new RinglabError('requirement_unlisted', { line });

interface ProjectWanted {
  /** Files for uv, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly packages: readonly [];
  readonly python?: string;
}

/**
 * @param folder of the project
 * @throws requirement_local, requirement_unlisted, file_unreadable
 */
export async function projectWanted(
  folder: string,
  text: string,
  lock: string | undefined,
): Promise<ProjectWanted> {
  // Of one that is damaged uv says why.
  const parsed = Pyproject.safeParse(tomlOf(text)).data;
  const asked = parsed?.project?.['requires-python'] ?? (lock === undefined ? undefined : pythonOfLock(lock));
  const python = asked !== undefined && /^[\d.,<>=!~*\s]{1,200}$/.test(asked) ? { python: asked } : {};
  if (lock !== undefined) {
    refuseLocal('uv.lock', besideLock(lock));
    return { files: { 'pyproject.toml': text, 'uv.lock': lock }, packages: [], ...python };
  }
  if (parsed === undefined) return { files: { 'pyproject.toml': text }, packages: [] };
  refuseLocal('pyproject.toml', besideProject(parsed));
  const isDynamic = parsed.project?.dynamic?.includes('dependencies') === true;
  const file = parsed.tool?.setuptools?.dynamic?.dependencies?.file;
  if (isDynamic && file !== undefined)
    return { files: await readRequirements(folder, [file].flat()), packages: [], ...python };
  // uv would ask the build program, which does not have the project's other files.
  if (isDynamic) throw unlisted('dynamic = ["dependencies"]');
  if (parsed.project === undefined && parsed['build-system'] === undefined) throw unlisted('[project]');
  return { files: { 'pyproject.toml': text }, packages: [], ...python };
}
