/** The charts that are drawn now and can be saved: their own menus and the command palette offer the same. */
export const exportKinds = ['png', 'svg', 'csv'] as const;
export type ExportKind = (typeof exportKinds)[number];

export interface ExportableChart {
  readonly id: string;
  readonly title: string;
  save(kind: ExportKind): void;
}

const drawn = new Map<string, ExportableChart>();

export const exportableCharts = (): readonly ExportableChart[] => [...drawn.values()];

/** Returns a function that takes the chart away again. */
export function offerChart(chart: ExportableChart): () => void {
  drawn.set(chart.id, chart);
  return () => {
    if (drawn.get(chart.id) === chart) drawn.delete(chart.id);
  };
}
