/**
 * For tests: a fake micromamba in Node with the options, JSON and messages that the app uses. It really downloads,
 * checks hashes, unpacks and links; its solver takes the newest build of each name.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const program = String.raw`
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync, cpSync } from 'node:fs';
import { basename, join } from 'node:path';
const args = process.argv.slice(2);
const value = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const die = (line) => { console.error(line); process.exit(1); };
const root = process.env.MAMBA_ROOT_PREFIX ?? join(process.env.HOME, 'micromamba');
const prefix = value('-p');
const withValue = new Set(['-p', '-c', '-f', '--rc-file']);
const specs = args.slice(1).filter((arg, index, all) => !arg.startsWith('-') && !withValue.has(all[index - 1]));
async function get(url) {
  if (url.startsWith('file://')) return readFileSync(url.slice(7));
  const answer = await fetch(url).catch((error) => die('critical libmamba Download error (7) Could not connect to server [' + url + '] ' + error));
  if (!answer.ok) die('critical libmamba Multiple errors occured:\n    Download error (22) HTTP response code said error [' + url + ']\n    The requested URL returned error: ' + answer.status);
  return Buffer.from(await answer.arrayBuffer());
}
const cuda = process.env.CONDA_OVERRIDE_CUDA;
async function solve(channel) {
  const { packages } = JSON.parse(String(await get(channel + '/linux-64/repodata.json')));
  const chosen = new Map();
  const all = Object.entries(packages).map(([fn, one]) => ({ fn, subdir: 'linux-64', channel, url: channel + '/linux-64/' + fn, build_string: one.build, ...one }));
  const need = (spec) => {
    const [name, version = '*', build = '*'] = spec.split(/[= ]/);
    if (name.startsWith('__') || chosen.has(name)) return;
    const glob = (pattern, text) => new RegExp('^' + pattern.replaceAll('.', '\\.').replaceAll('*', '.*') + '$').test(text);
    const fits = all.filter((one) => one.name === name && glob(version, one.version) && glob(build, one.build) && (cuda || !one.depends.some((line) => line.startsWith('__cuda'))));
    const best = fits.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0];
    if (best === undefined) die('error    libmamba Could not solve for environment specs\n    The following package could not be installed\n    └─ ' + spec + ' does not exist (perhaps a typo or a missing channel).\ncritical libmamba Could not solve for environment specs');
    chosen.set(name, best);
    best.depends.forEach(need);
  };
  specs.forEach(need);
  return { all, link: [...chosen.values()] };
}
if (args[0] === '--version') console.log('2.0.5');
else if (args[0] === 'create' && args.includes('--dry-run')) {
  const { link } = await solve(value('-c'));
  console.log(JSON.stringify({ actions: { FETCH: link, LINK: link, PREFIX: prefix }, dry_run: true, prefix, success: true }));
} else if (args[0] === 'search') {
  const { all } = await solve(value('-c'));
  console.log(JSON.stringify({ query: { query: specs[0], type: 'search' }, result: { pkgs: all.filter(({ name }) => name === specs[0]), status: 'OK' } }));
} else if (args[0] === 'create') {
  if (existsSync(prefix) && !existsSync(join(prefix, 'conda-meta'))) die('critical libmamba Non-conda folder exists at prefix - aborting.');
  const lines = readFileSync(value('-f'), 'utf8').split('\n').filter((line) => /^(https?|file):/.test(line));
  mkdirSync(join(root, 'pkgs'), { recursive: true });
  for (const line of lines) {
    const [url, hash] = line.split('#');
    const kept = join(root, 'pkgs', basename(url));
    const sum = (bytes) => (hash.length === 32 ? createHash('md5').update(bytes).digest('hex') : 'sha256:' + createHash('sha256').update(bytes).digest('hex'));
    if (!existsSync(kept) || sum(readFileSync(kept)) !== hash) {
      const bytes = await get(url);
      if (sum(bytes) !== hash) die('error    libmamba File not valid: ' + (hash.length === 32 ? 'MD5' : 'SHA256') + " sum doesn't match expectation (" + kept + ')\nExpected: ' + hash + '\nActual: ' + sum(bytes) + '\ncritical libmamba Found incorrect downloads. Aborting');
      writeFileSync(kept, bytes);
      console.log(basename(url) + ' ' + bytes.length);
    }
    mkdirSync(join(prefix, 'conda-meta'), { recursive: true });
    execFileSync('tar', ['-xjf', kept, '-C', prefix]);
  }
  console.log('Transaction finished');
} else if (args[0] === 'run') {
  execFileSync(args[3], args.slice(4), { stdio: 'inherit', env: { ...process.env, PATH: join(prefix, 'bin') + ':' + process.env.PATH } });
} else die('The following arguments were not expected: ' + args.join(' '));
`;

/** Writes it to `path` as an executable. */
export function writeStandInMicromamba(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.mjs`, program);
  // Node's absolute path, whatever the PATH of a test's node is.
  writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${path}.mjs "$@"\n`, { mode: 0o755 });
  return path;
}
