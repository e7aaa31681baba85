/** Public interface of the Kubernetes layer: a cluster's API, its pods, and commands in them. `index.ts` re-exports it. */
import type { Readable, Writable } from 'node:stream';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { KubernetesFacts } from '../../shared/node/kubernetes-facts.ts';
import type { TerminalSize } from '../../shared/node/terminal.ts';
import type { SeenEvent, SeenJob, SeenPod } from './objects.ts';

/** What a request asks of the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  /** `/api/v1/namespaces/team/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Statuses that are an answer rather than an error, besides those of success. */
  readonly expects?: readonly number[];
}

interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON, still to be checked. */
  readonly body: unknown;
}

/** A command that runs in a pod. */
export interface PodProcess {
  /** Its end closes the command's standard input. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Empty in a terminal. */
  readonly stderr: Readable;
  /** The exit code; undefined where the connection was lost first. */
  readonly ended: Promise<number | undefined>;
  resize(size: TerminalSize): void;
  /** Closes the connection. The command does not end by that alone. */
  close(): void;
}

export interface KubernetesApi {
  /** For messages: the kubeconfig's context. */
  name(): Promise<string>;
  /** The target's, or the context's. */
  namespace(): Promise<string>;
  /**
   * Rejects with `cluster_config` where the kubeconfig is of no use, `cluster_login` where the server does not accept its
   * credentials, `cluster_forbidden`, `cluster_unreachable`, and `pods_refused` for everything else that the server refuses.
   */
  request(what: ApiRequest): Promise<ApiAnswer>;
  /** Lines of a watch, until the server ends it or says nothing any more. Rejects as `request` does, and where a line is too long. */
  lines(what: Pick<ApiRequest, 'path' | 'query' | 'signal'>, take: (line: string) => void): Promise<void>;
  /** Rejects as `request` does; `pod_gone` where there is no such pod that runs. */
  exec(
    pod: string,
    command: readonly string[],
    terminal: TerminalSize | undefined,
    signal?: AbortSignal,
  ): Promise<PodProcess>;
}

/** What a cluster says of a run's objects. */
interface SeenObjects {
  readonly pods: readonly SeenPod[];
  readonly jobs: readonly SeenJob[];
  /** Warnings about those that have not started; asked for only while there are such. */
  readonly events: readonly SeenEvent[];
}

export interface ObjectWatch {
  /** The newest known state. Rejects where the API does not answer at present. */
  seen(signal?: AbortSignal): Promise<SeenObjects>;
  /** Stops watching; `seen` begins anew. */
  stop(): void;
}

/** The pods of a lab on a cluster without a claim, one for each drawn node. */
export interface PodMachines {
  /** Of their job, and their label `app.kubernetes.io/instance`. */
  readonly name: string;
  /**
   * Resolves when all run; creates them where they do not. Rejects as `KubernetesApi.request` does, also where a dry run refuses
   * them, and with `pod_unready`; leaves none then.
   * @param waits called with why they do not run yet, in the cluster's words, when that changes
   * @returns whether they were created
   */
  raise(signal: AbortSignal, waits?: (why: string) => void): Promise<boolean>;
  /** The name of a drawn node's running pod. Rejects with `pod_gone` before it runs, `pods_ended` where it never will again. */
  pod(nodeId: string, signal?: AbortSignal): Promise<string>;
  /** Runs a command in it. Rejects as `pod` and `KubernetesApi.exec` do. */
  run(nodeId: string, command: readonly string[], terminal: TerminalSize | undefined): Promise<PodProcess>;
  /** Deletes them; resolves when they are gone. Rejects where that takes longer than a minute. */
  remove(): Promise<void>;
}

/** A cluster and namespace as one app uses it. */
export interface KubernetesCluster {
  readonly api: KubernetesApi;
  /** What it offers the lab's account. Rejects as `KubernetesApi.request` does. */
  facts(signal: AbortSignal): Promise<KubernetesFacts>;
  /**
   * The running access pod's name; creates the pod where there is none. Rejects with `pod_unready` where it does not start.
   * @param waits called with why it has no machine, in the cluster's words, when that changes
   */
  access(signal?: AbortSignal, waits?: (why: string) => void): Promise<string>;
  /** Runs a command in the access pod. Rejects as `access` and `KubernetesApi.exec` do. */
  run(command: readonly string[], terminal: TerminalSize | undefined): Promise<PodProcess>;
  /** Of a lab whose target has no claim. */
  machines(lab: LabDocument): PodMachines;
  /** Of the objects with this label `app.kubernetes.io/instance`. It stops after a while without a call. */
  watch(instance: string): ObjectWatch;
}

export interface Kubernetes {
  cluster(target: KubernetesTarget): KubernetesCluster;
  /** Deletes the access pods that were created, as far as their clusters answer soon. */
  close(): Promise<void>;
}
