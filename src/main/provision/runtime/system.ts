/** `runtime: system`: libtorch or Python torch of the node's distribution, or a libtorch in a folder that the system searches. */
import { upstreamVersion } from '../node/hardware-facts.ts';
import {
  installPackages,
  planPackages,
  pythonPackages,
  runtimePackages,
  type PackageNames,
} from '../download/packages.ts';
import type { StepContext } from '../engine/step.ts';
import type { RuntimeSource } from './runtime.ts';
import { phrase } from '../../i18n/index.ts';

/** The distribution's own Python, for which its torch is packaged. */
export const systemPython = '/usr/bin/python3';

const wanted = ({
  lab,
}: StepContext): readonly [readonly PackageNames[], 'node_no_python' | 'node_no_libtorch'] =>
  lab.experiment.script === undefined
    ? [runtimePackages, 'node_no_libtorch']
    : [pythonPackages, 'node_no_python'];

export const systemRuntime: RuntimeSource = {
  bringsImages: false,
  find: ({ work }) => Promise.resolve(work.libtorch),
  async python({ shell }) {
    const { stdout } = await shell.ask(
      `${systemPython} -c 'import importlib.util as u; print(bool(u.find_spec("torch")))' 2>/dev/null`,
      { label: phrase('nodeCommands.systemTorch') },
    );
    return stdout.trim() === 'True' ? systemPython : undefined;
  },
  plan: (context) => planPackages(context, ...wanted(context)),
  async expected({ shell }) {
    const { stdout } = await shell.exec('LC_ALL=C apt-cache policy libtorch-dev 2>/dev/null', {
      label: phrase('nodeCommands.systemLibtorch'),
      quiet: true,
    });
    const candidate = /^\s*Candidate: (\d\S*)/m.exec(stdout)?.[1];
    // Debian's and Ubuntu's packages are for the CPU.
    return candidate === undefined ? undefined : { version: upstreamVersion(candidate), abi: 'cxx11' };
  },
  install: (context) => installPackages(context, ...wanted(context)),
};
