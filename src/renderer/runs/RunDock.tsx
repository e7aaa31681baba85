/** Placeholder of the frame's: the run views replace it. */
export interface RunDockProps {
  readonly labId: string;
  readonly runId: string | undefined;
  readonly onSelectRun: (runId: string) => void;
}

export function RunDock({ runId }: RunDockProps) {
  return <div>{runId}</div>;
}
