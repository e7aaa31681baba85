/** The emulated network of the lab that is shown: what its links are, and what crosses them. */
import { create } from 'zustand';
import type { LinkState, LinkTraffic, NetworkState } from '../../shared/network.ts';

/** Older traffic says nothing of now: the run ended, or the wire was cut. */
const staleMs = 4000;

interface NetworkSlice {
  readonly state: NetworkState | undefined;
  readonly traffic: Readonly<Record<string, LinkTraffic>>;
}
const nothing: NetworkSlice = { state: undefined, traffic: {} };
export const useNetworkStore = create<NetworkSlice>(() => nothing);

let fading: ReturnType<typeof setTimeout> | undefined;

/** Another lab's state takes the place of the one before, with its traffic. */
export const putNetwork = (state: NetworkState): void =>
  useNetworkStore.setState((now) => ({
    state,
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

export const useNetworkState = (labId: string | undefined): NetworkState | undefined =>
  useNetworkStore(({ state }) => (state?.labId === labId ? state : undefined));
export const useLinkState = (linkId: string): LinkState | undefined =>
  useNetworkStore(({ state }) => state?.links.find((link) => link.linkId === linkId));
export const useLinkTraffic = (linkId: string): LinkTraffic | undefined =>
  useNetworkStore(({ traffic }) => traffic[linkId]);
