/**
 * Shared parts of all nodes' steps: runtimes, the trainer's sources and binaries, bundles. Created once for a
 * provisioner.
 */
import { join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { clusterOf, hasSharedFolder } from '../../../shared/lab/reached.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { clusterSteps } from './cluster.ts';
import { createCodeShelf, type CodeShelf } from '../../code/index.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createKeyring } from '../bundle/signed-release.ts';
import { createBundleStore } from '../bundle/store.ts';
import { createBucketKeys, keepsNothing } from '../data/bucket-keys.ts';
import { createDataS3 } from '../data/data-s3.ts';
import { createDataUpload } from '../data/data-upload.ts';
import type { Step } from '../engine/step.ts';
import { expandHome } from '../node/home-path.ts';
import {
  createCondaRuntime,
  createLockBook,
  createUvKeeper,
  createWheelsRuntime,
  localWheels,
  type WheelsSource,
} from '../runtime/index.ts';
import { checkCluster } from '../steps/cluster.ts';
import { createCheckKubernetes } from '../steps/kubernetes.ts';
import { nodeSteps, scriptSteps } from '../steps/node-steps.ts';
import { readSources, type TrainerSources } from '../trainer/sources.ts';
import { createTrainerShelf } from '../trainer/trainer-shelf.ts';
import type { ProvisionerOptions } from './options.ts';

export interface Parts {
  readonly bundle: ReturnType<typeof createBundleStore>;
  readonly conda: ReturnType<typeof createCondaRuntime>;
  readonly wheels: WheelsSource;
  readonly shelf: ReturnType<typeof createTrainerShelf>;
  /** The steps of every node. */
  stepsOf(lab: LabDocument): readonly Step[];
  readonly code: CodeShelf;
  sources(): Promise<TrainerSources>;
  /** Sources are read once for a preparation: a developer may change them while the app runs. */
  readSourcesAnew(): void;
  /** A bundle in a folder that the user names. */
  bundleIn(folder: string): ReturnType<typeof createBundleStore>;
}

export function createParts(options: ProvisionerOptions, clock: Clock, owner: string): Parts {
  const { paths } = options;
  // The shipped keys of distributions, and keys of other archives that the user added to the data folder.
  const keyring = createKeyring([
    ...(paths.assets === undefined ? [] : [join(paths.assets, 'archive-keys')]),
    join(paths.data, 'archive-keys'),
  ]);
  const bundle = createBundleStore(join(paths.data, 'bundle'), { keyring });
  const conda = createCondaRuntime({
    locks: createLockBook(join(paths.data, 'locks')),
    micromamba: join(paths.data, 'micromamba'),
    bundle,
    clock,
  });
  let reading: Promise<TrainerSources> | undefined;
  const sources = (): Promise<TrainerSources> => (reading ??= readSources(paths.nativeSource));
  const shelf = createTrainerShelf({
    folder: join(paths.data, 'trainers'),
    prebuilt: paths.trainerBinary,
    bundle,
    ...(options.describeBinary === undefined ? {} : { describe: options.describeBinary }),
  });
  const wheels = createWheelsRuntime({
    uv: createUvKeeper(join(paths.data, 'uv')),
    home: paths.home,
    shared: localWheels(paths.data),
  });
  const stepOptions = {
    clock,
    owner,
    shared: localWheels(paths.data),
    home: paths.home,
    conda,
    wheels,
    upload: createDataUpload(paths.home),
    s3: createDataS3(createBucketKeys(options.prompter, createSecretMemory(options.secrets ?? keepsNothing))),
    sources,
    shelf,
  };
  const { cluster } = options.reach;
  const checkKubernetes = createCheckKubernetes((target) => {
    if (cluster === undefined) throw new RangeError('a cluster cannot be reached here');
    return cluster(target);
  });
  const native = nodeSteps(stepOptions);
  const own = scriptSteps(stepOptions);
  return {
    bundle,
    conda,
    wheels,
    shelf,
    code: createCodeShelf(join(paths.data, 'code'), paths.home),
    stepsOf(lab) {
      const steps = lab.experiment.script === undefined ? native : own;
      switch (clusterOf(lab)?.type) {
        case 'slurm':
          return clusterSteps(steps, checkCluster);
        case 'kubernetes':
          return clusterSteps(steps, checkKubernetes, !hasSharedFolder(lab));
        case undefined:
          return steps;
      }
    },
    sources,
    readSourcesAnew() {
      reading = undefined;
    },
    // A window's user may type `~/bundle`.
    bundleIn: (folder) => createBundleStore(resolve(paths.home, expandHome(folder, paths.home)), { keyring }),
  };
}
