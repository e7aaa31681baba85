/** `runtime: system`: the libtorch of the node's distribution, or one in a folder that the system searches. */
import { upstreamVersion } from '../node/hardware-facts.ts';
import { installPackages, planPackages, runtimePackages } from '../download/packages.ts';
import type { RuntimeSource } from './runtime.ts';

export const systemRuntime: RuntimeSource = {
  bringsImages: false,
  find: ({ work }) => Promise.resolve(work.libtorch),
  plan: (context) => planPackages(context, runtimePackages, 'node_no_libtorch'),
  async expected({ shell }) {
    const { stdout } = await shell.exec('LC_ALL=C apt-cache policy libtorch-dev 2>/dev/null', {
      label: 'ask which libtorch the distribution has',
      quiet: true,
    });
    const candidate = /^\s*Candidate: (\d\S*)/m.exec(stdout)?.[1];
    // Debian's and Ubuntu's packages are for the CPU.
    return candidate === undefined ? undefined : { version: upstreamVersion(candidate), abi: 'cxx11' };
  },
  install: (context) => installPackages(context, runtimePackages, 'node_no_libtorch'),
};
