/** Reports unused files, exports and packages, found by knip (knip.config.js), each with what to do. */
import { runCommand } from '../setup/command.mjs';
import { inProject } from '../setup/project.mjs';

/** @typedef {{ name: string, line?: number }} Found */

/** Kinds of findings in knip's JSON report → message. `where` is a file, with its line if known. */
const advice = {
  files: (where) =>
    `${where} is reached from no program, test or measurement: delete it, or list it in knip.config.js where something starts it by its path`,
  exports: (where, name) =>
    `${where} exports ${name}, which no other file imports: remove \`export\`, and the thing itself where its own file does without it`,
  types: (where, name) => advice.exports(where, name),
  duplicates: (where, name) => `${where} exports one thing under several names (${name}): keep one`,
  dependencies: (_where, name) =>
    `package.json lists ${name}, which nothing imports: \`npm uninstall ${name}\`, and remove its line in docs/dependencies.md`,
  devDependencies: (where, name) => advice.dependencies(where, name),
  unlisted: (where, name) =>
    `${where} imports ${name}, which package.json does not list: \`npm install --save-exact\` its package at the version of package-lock.json, with a line of reason in docs/dependencies.md`,
  unresolved: (where, name) => `${where} imports ${name}, which is not there: correct its path`,
};

/**
 * One sentence for each finding, sorted by file.
 * @param {{ issues: readonly ({ file: string } & Record<string, readonly (Found | readonly Found[])[]>)[] }} report knip's, as JSON
 */
export function unusedThings({ issues }) {
  const problems = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) =>
      found.map((one) => {
        const name = 'name' in one ? one.name : one.map((same) => same.name).join(', ');
        const where = 'line' in one && one.line !== undefined ? `${file}:${String(one.line)}` : file;
        const describe = advice[kind] ?? (() => `${where}: ${kind} ${name}`);
        return describe(where, name);
      }),
    ),
  );
  return problems.sort();
}

/**
 * @param {string} node
 * @param {string} [project] its folder, with a configuration of knip's
 * @returns {Promise<string[]>} the problems
 */
export async function unusedProblems(node, project = inProject()) {
  const { code, output } = await runCommand(
    node,
    [inProject('node_modules', 'knip', 'bin', 'knip.js'), '--no-progress', '--reporter', 'json'],
    { cwd: project, keep: 16 * 1024 * 1024 },
  );
  const start = output.indexOf('{"issues"');
  if (start < 0) throw new Error(`knip ended with ${String(code)} and no report: ${output}`);
  return unusedThings(JSON.parse(output.slice(start, output.lastIndexOf('}') + 1)));
}
