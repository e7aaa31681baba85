/** The emulated network of the lab that is shown: the state of its links, and their traffic. */
import { create } from 'zustand';
import type { LinkState, LinkTraffic, NetworkState } from '../../shared/node/network.ts';
import { useLabId } from './lab.ts';

/** Older traffic is outdated: the run ended, or the connection was lost. */
const staleMs = 4000;

interface NetworkSlice {
  readonly state: NetworkState | undefined;
  readonly traffic: Readonly<Record<string, LinkTraffic>>;
}
const emptySlice: NetworkSlice = { state: undefined, traffic: {} };
const useNetworkStore = create<NetworkSlice>(() => emptySlice);

let fading: ReturnType<typeof setTimeout> | undefined;

/** Each edit of the lab reports its links again, mostly unchanged: equal ones keep their identity, and so do their labels. */
const keepLinks = (before: NetworkState | undefined, now: NetworkState): NetworkState =>
  JSON.stringify(before?.links) === JSON.stringify(now.links) && before !== undefined
    ? { ...now, links: before.links }
    : now;

/** Replaces the previous lab's state, including its traffic. */
export const putNetwork = (state: NetworkState): void =>
  useNetworkStore.setState((now) => ({
    state: keepLinks(now.state, state),
    traffic: now.state?.labId === state.labId ? now.traffic : {},
  }));

export function putTraffic(labId: string, links: readonly LinkTraffic[]): void {
  if (useNetworkStore.getState().state?.labId !== labId) return;
  clearTimeout(fading);
  fading = setTimeout(() => useNetworkStore.setState({ traffic: {} }), staleMs);
  useNetworkStore.setState((now) => ({
    traffic: { ...now.traffic, ...Object.fromEntries(links.map((link) => [link.linkId, link])) },
  }));
}

/** A lab that is a copy of the previous one has links of the same ids: until its own state arrives it has none. */
function useShown<T>(select: (slice: NetworkSlice) => T): T {
  const labId = useLabId();
  return useNetworkStore((slice) => select(slice.state?.labId === labId ? slice : emptySlice));
}

export const useNetworkState = (labId: string | undefined): NetworkState | undefined =>
  useNetworkStore(({ state }) => (state?.labId === labId ? state : undefined));
/** Links that are not emulated and that this machine cannot emulate, which a new user might overlook. */
export const useIsDrawnOnly = (): boolean =>
  useShown(({ state }) => {
    const reason = state?.reason;
    return (
      reason !== undefined && reason !== 'nothing_drawn' && reason !== 'real_nodes' && reason !== 'not_raised'
    );
  });
export const linkStates = (labId: string): readonly LinkState[] => {
  const { state } = useNetworkStore.getState();
  return state?.labId === labId ? state.links : [];
};
export const useLinkStates = (): readonly LinkState[] | undefined => useShown(({ state }) => state?.links);
export const useLinkState = (linkId: string): LinkState | undefined =>
  useShown(({ state }) => state?.links.find((link) => link.linkId === linkId));
export const useLinkTraffic = (linkId: string): LinkTraffic | undefined =>
  useShown(({ traffic }) => traffic[linkId]);
