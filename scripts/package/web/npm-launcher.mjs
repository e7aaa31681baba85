#!/usr/bin/env node
/**
 * `bin/ringlab.mjs` of npm's package. Ringlab runs on Node 24 or newer; where this one is older, the one that the package's
 * optional dependency brought runs it. Without arguments it opens the window.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(home, 'dist', 'main', 'cli.js');
const args = process.argv.length > 2 ? process.argv.slice(2) : ['app'];
const enough = 24;

/** The Node of an optional dependency; npm may have put it beside this package or inside it. */
function broughtNode() {
  const names = Object.keys(
    JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).optionalDependencies ?? {},
  );
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const require = createRequire(join(home, 'package.json'));
  for (const name of names.filter((one) => one.endsWith(`${system}-${process.arch}`))) {
    try {
      const folder = dirname(require.resolve(`${name}/package.json`));
      const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
      if (existsSync(program)) return program;
    } catch {
      // npm leaves out optional dependencies that it cannot have.
    }
  }
  return undefined;
}

if (Number(process.versions.node.split('.')[0]) >= enough) {
  process.argv = [process.argv[0], cli, ...args];
  process.removeAllListeners('warning');
  await import(pathToFileURL(cli).href);
} else {
  const node = broughtNode();
  if (node === undefined) {
    process.stderr.write(
      `ringlab: this is Node ${process.versions.node}, and the optional package with Node ${enough} is not there.\n` +
        `What to do: install Node ${enough} or newer, or install this package again with --include=optional.\n`,
    );
    process.exitCode = 1;
  } else {
    const child = spawn(node, ['--disable-warning=ExperimentalWarning', cli, ...args], { stdio: 'inherit' });
    // A terminal sends Ctrl+C to both processes, a script only to this one.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      });
    child.once('exit', (code, signal) =>
      process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
    );
  }
}
