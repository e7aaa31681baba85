/** Placeholder of the frame's: the utilisation bar replaces it. */
export interface NodeLiveProps {
  readonly runId: string;
  readonly nodeId: string;
}

export function NodeLive(_: NodeLiveProps) {
  return null;
}
