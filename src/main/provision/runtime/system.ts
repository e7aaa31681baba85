/** `runtime: system`: the libtorch of the node's distribution, or one in a folder where the system looks. */
import { installing, installPackages, runtimePackages } from '../packages.ts';
import type { RuntimeSource } from './runtime.ts';

export const systemRuntime: RuntimeSource = {
  bringsImages: false,
  find: ({ work }) => Promise.resolve(work.libtorch),
  plan: () => Promise.resolve([installing(runtimePackages)]),
  install: (context) => installPackages(context, runtimePackages, 'node_no_libtorch'),
};
