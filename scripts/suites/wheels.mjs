/**
 * `runtime: wheels` with the real thing: a Debian 12 with an SSH server alone gets PyTorch's wheels from the real index
 * and builds the trainer against them; what that trains is opened by the same Python. Then a machine that reaches nothing but
 * its SSH connection gets the same from a bundle.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../setup/command.mjs';
import { onMachines } from './bare-node.mjs';
import { inChroot } from './chroot.mjs';

/** Another version, for one that is not tried yet. */
const torch = process.env.RINGLAB_WHEELS_TORCH ?? '2.11.0';
const certificates = '/etc/ssl/certs/ca-certificates.crt';
const readyWith = new RegExp(
  String.raw`^ {2}libraries\s+done\s.*libtorch ${torch.replaceAll('.', String.raw`\.`)}\b`,
  'm',
);
const trainerThere = /^ {2}trainer\s+done\s+\d\.\d s/m;

const opening = `import sys, torch
state = torch.load(sys.argv[1], map_location='cpu', weights_only=True)
weights = state['state_dict']
assert state['epoch'] == 1 and len(weights) > 50, (state['epoch'], len(weights))
assert all(torch.isfinite(value).all() for value in weights.values() if value.is_floating_point())
print('opened by PyTorch', torch.__version__, 'epoch', state['epoch'], 'tensors', len(weights))`;

/** @param {string} node the program */
export const wheels = (node) =>
  onMachines(node, 'wheels', async (bench) => {
    const machine = await bench.machine({ suite: 'bookworm' });
    // This computer's network may have a proxy with a certificate of its own; the bare machine has no certificates at all.
    if (existsSync(certificates)) {
      mkdirSync(join(machine.folder, 'etc', 'ssl', 'certs'), { recursive: true });
      copyFileSync(certificates, join(machine.folder, certificates));
    }
    const lab = bench.lab(machine, 'wheels', { runtime: { type: 'wheels', torch } });
    await bench.check(
      'a dry run lists uv, the environment and its commands, and changes nothing',
      async () => {
        const said = [/^# Send uv /m, /^# Make the virtual environment /m, /uv" pip install /];
        const problem = await bench.says(said, 'prepare', lab, '--dry-run');
        if (problem !== undefined) return problem;
        return existsSync(join(machine.folder, 'root', '.ringlab')) ? '~/.ringlab was made' : undefined;
      },
    );
    const ready = await bench.check(
      `from nothing to ready with PyTorch ${torch}, the trainer built against it`,
      () => bench.says([/^bare: ready$/m, readyWith], 'prepare', lab),
    );
    if (!ready) return;
    await bench.check('the same again, with nothing to do', () =>
      bench.says([/^bare: ready$/m, readyWith, trainerThere], 'prepare', lab),
    );
    if (!(await trainsAndOpens(bench, machine, lab))) return;
    const bundled = await bench.check('a bundle with these wheels is made on it', () =>
      bench.says([/"systems":\["debian 12 \S+"\]/], 'bundle', lab),
    );
    if (!bundled) return;
    await machine.stop();
    const cutOff = await bench.machine({ suite: 'bookworm', cutOff: true });
    const lonely = bench.lab(cutOff, 'cut-off', { runtime: { type: 'wheels', torch } });
    const readyThere = await bench.check('without internet: from nothing to ready by the bundle', () =>
      bench.says([/^bare: ready$/m, readyWith], 'prepare', lonely),
    );
    if (readyThere) await trainsAndOpens(bench, cutOff, lonely);
  });

/** @returns {Promise<boolean>} whether both worked */
async function trainsAndOpens(bench, machine, lab) {
  const out = join(bench.work, 'out');
  rmSync(out, { recursive: true, force: true });
  const model = join(out, 'model_best.pth.tar');
  const trained = await bench.check('a run finishes and leaves a model', async () => {
    const problem = await bench.says([/"state":"finished"/], 'run', lab, '--out', out);
    if (problem !== undefined) return problem;
    return existsSync(model) ? undefined : 'no model_best.pth.tar';
  });
  if (!trained) return false;
  return bench.check('the same Python opens it', async () => {
    const place = join('/root', '.ringlab', 'wheels');
    const made = readdirSync(join(machine.folder, place)).find((name) => /^[0-9a-f]{16}$/.test(name));
    if (made === undefined) return `nothing in ${place}`;
    copyFileSync(model, join(machine.folder, 'root', 'model.pth.tar'));
    const python = join(place, made, 'bin', 'python');
    const { code, output } = await runCommand('unshare', [
      ...inChroot(machine.folder, [python, '-c', opening, '/root/model.pth.tar']),
    ]);
    process.stdout.write(output);
    return code === 0 && output.includes(`opened by PyTorch ${torch}`) ? undefined : `ended with ${code}`;
  });
}
