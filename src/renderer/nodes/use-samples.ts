/** A run's samples for components: all that show the run share one feed. */
import { useCallback, useSyncExternalStore } from 'react';
import { useApi, type LabClient } from '../api/index.ts';
import { subscribePoints, useRunStore } from '../state/index.ts';
import { createSampleFeed, noSamples, type NodeSamples, type SampleFeed } from './sample-feed.ts';

interface Shared {
  readonly feed: SampleFeed;
  users: number;
}

/** By client, so that another window's client (a test, a reload) never gets this one's feeds. */
const feeds = new WeakMap<LabClient, Map<string, Shared>>();

function feedOf(api: LabClient, runId: string): SampleFeed | undefined {
  return feeds.get(api)?.get(runId)?.feed;
}

function share(api: LabClient, runId: string, listener: () => void): () => void {
  const ofClient = feeds.get(api) ?? new Map<string, Shared>();
  feeds.set(api, ofClient);
  const shared = ofClient.get(runId) ?? {
    feed: createSampleFeed({
      api,
      runId,
      ranks: () => useRunStore.getState().records[runId]?.ranks,
      subscribe: (take) => subscribePoints(runId, take),
    }),
    users: 0,
  };
  ofClient.set(runId, shared);
  shared.users += 1;
  const stop = shared.feed.onChange(listener);
  return () => {
    stop();
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.feed.close();
    ofClient.delete(runId);
  };
}

export function useSamples(runId: string, nodeId: string): NodeSamples {
  const api = useApi();
  const subscribe = useCallback((listener: () => void) => share(api, runId, listener), [api, runId]);
  return useSyncExternalStore(subscribe, () => feedOf(api, runId)?.of(nodeId) ?? noSamples);
}

const noNodes: ReadonlyMap<string, NodeSamples> = new Map();

/** By node id. */
export function useAllSamples(runId: string): ReadonlyMap<string, NodeSamples> {
  const api = useApi();
  const subscribe = useCallback((listener: () => void) => share(api, runId, listener), [api, runId]);
  return useSyncExternalStore(subscribe, () => feedOf(api, runId)?.all() ?? noNodes);
}

export function useSamplesPhase(runId: string): 'loading' | 'ready' | 'failed' {
  const api = useApi();
  const subscribe = useCallback((listener: () => void) => share(api, runId, listener), [api, runId]);
  return useSyncExternalStore(subscribe, () => feedOf(api, runId)?.phase() ?? 'loading');
}
