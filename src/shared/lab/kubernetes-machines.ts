/** Pods that wait for commands on a Kubernetes cluster: the access pod, a lab's machines without a claim, and a preview of all. Pure. */
import type { Job } from 'kubernetes-types/batch/v1';
import type { Pod, Service } from 'kubernetes-types/core/v1';
import { runFolder } from '../base/node-folder.ts';
import { asJobSet, type JobSet } from './job-set.ts';
import { groupJob, isOneSet, jobNameOf, metaOf, podJobName, runObjects } from './kubernetes-job.ts';
import type { KubernetesTarget } from './kubernetes.ts';
import {
  confined,
  podFrame,
  podLabelsOf,
  podPaths,
  podPlacement,
  ranksContainer,
  ranksMounts,
  ranksVolumes,
} from './kubernetes-pod.ts';
import type { LabDocument } from './lab.ts';
import { podGroups } from './pod-groups.ts';

/** Minutes without any process after which a pod that waits for commands ends by itself. */
const idleMinutes = 30;

/** Reaps what commands leave behind, and ends when no command has run for a while: the app may be gone for good. */
const waits = `trap 'exit 0' TERM INT
idle=0
while [ "$idle" -lt ${idleMinutes} ]; do
  sleep 60 & wait "$!"
  set -- /proc/[0-9]*
  if [ "$#" -gt 1 ]; then idle=0; else idle=$((idle + 1)); fi
done`;

/** Seconds for which the cluster keeps the record of pods that ended. */
const endedSeconds = 600;

/**
 * A cluster without a claim: a pod for each drawn node, with its own disk, in which it is prepared and its ranks are started, as on
 * a machine that is reached over SSH. What is on the disk ends with the pod: one that is taken away is not replaced.
 * @param name unique to this app, the lab and what is asked for
 */
const machineJobs = (lab: LabDocument, target: KubernetesTarget, name: string): Job[] =>
  podGroups(lab, undefined).map((group, at) =>
    groupJob(
      { target, name },
      group,
      at,
      { backoffLimitPerIndex: 0, ttlSecondsAfterFinished: endedSeconds },
      { command: ['sh', '-c', waits], env: [{ name: 'HOME', value: podPaths.volume }] },
    ),
  );

/** Where each drawn node's pod is: its number in a job, whose name depends on whether that is part of a JobSet. */
export const machinePlaces = (
  lab: LabDocument,
  name: string,
): { readonly nodeId: string; readonly jobs: readonly string[]; readonly index: number }[] =>
  podGroups(lab, undefined).flatMap(({ nodes }, at) => {
    const jobs = [jobNameOf(name, at, false), jobNameOf(name, at, true)];
    return nodes.map(({ id }, index) => ({ nodeId: id, jobs, index }));
  });

/**
 * The pod through which Ringlab prepares and follows runs: it has the claim, and commands run in it as on a login node.
 * @param name unique to this app, the claim and the image
 */
export const accessPod = (target: KubernetesTarget, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metaOf({ target, name }, name, podLabelsOf(name)),
  spec: {
    ...podFrame(target, 5),
    ...podPlacement(target, name),
    containers: [
      {
        name: ranksContainer,
        image: target.image,
        command: ['sh', '-c', waits],
        env: [{ name: 'HOME', value: podPaths.volume }],
        resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '4Gi' } },
        securityContext: confined,
        volumeMounts: ranksMounts,
      },
    ],
    volumes: ranksVolumes(target),
  },
});

/** All objects of a lab's pods where there is no claim. */
export function machineObjects(
  lab: LabDocument,
  target: KubernetesTarget,
  name: string,
  isSet: boolean,
): (Job | JobSet)[] {
  const jobs = machineJobs(lab, target, name);
  return isSet ? [asJobSet(name, jobs, false)] : jobs;
}

/** A lab's objects before it is run: they differ from the created ones in their name alone. */
export function previewObjects(
  lab: LabDocument,
  target: KubernetesTarget,
  hasJobSets: boolean,
): (Job | Service | JobSet)[] {
  const isSet = isOneSet(lab, undefined, hasJobSets);
  if (target.claim === undefined) return machineObjects(lab, target, 'ringlab-nodes', isSet);
  return runObjects({
    ...{ lab, target, name: podJobName('RUN', 1), order: undefined, attempt: 1 },
    runFolder: runFolder(podPaths.volume, 'RUN'),
    isSet,
  });
}
