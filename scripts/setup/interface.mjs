/** Builds the window (Vite → dist/renderer) and what runs in Node and Electron (esbuild → dist/main). */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { lastLines, runCommand } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { inProject } from './project.mjs';
import { createStamp, hashOf } from './stamp.mjs';

const remedy = 'the lines above name the file; mend it and start again (`npm run check` says more)';
const notTests = (path) => /\.test\.[cm]?[jt]sx?$/.test(path) || path.includes('/testing/');

/** @param {import('./progress.mjs').Progress} progress @param {string} node a Node of version 24 */
export async function buildInterface(progress, node) {
  await buildPart(progress, {
    name: 'window',
    folder: 'dist/renderer',
    inputs: ['src/renderer', 'src/shared', 'vite.config.ts', 'package-lock.json', 'assets/icons/web'],
    command: (folder) => [
      node,
      inProject('node_modules/vite/bin/vite.js'),
      'build',
      '--logLevel',
      'warn',
      '--outDir',
      folder,
    ],
  });
  await buildPart(progress, {
    name: 'program',
    folder: 'dist/main',
    inputs: ['src/main', 'src/preload', 'src/shared', 'scripts/setup/bundle.mjs', 'package-lock.json'],
    command: (folder) => [node, inProject('scripts/setup/bundle.mjs'), folder],
  });
}

/**
 * Builds beside the old result and replaces it when complete, so that a running app is not disturbed.
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ name: string, folder: string, inputs: string[], command: (folder: string) => string[] }} part
 */
async function buildPart(progress, { name, folder, inputs, command }) {
  const target = inProject(folder);
  const stamp = createStamp(name, [target]);
  const hash = hashOf(inputs, { skip: notTests });
  if (stamp.holds(hash)) return;
  await progress.step(name, async () => {
    const fresh = `${target}.new`;
    const old = `${target}.old`;
    rmSync(fresh, { recursive: true, force: true });
    const [program, ...args] = command(fresh);
    const { code, output } = await runCommand(program, args, { cwd: inProject() });
    if (code !== 0) throw new SetupFailure(`the ${name} could not be built`, remedy, lastLines(output, 40));
    rmSync(old, { recursive: true, force: true });
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
    rmSync(old, { recursive: true, force: true });
    stamp.write(hash);
  });
}
