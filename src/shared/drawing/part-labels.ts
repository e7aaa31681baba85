/** The labels of nodes and links on the drawing and in pictures of it. */
import { counted, type Hardware } from '../node/hardware.ts';
import type { LabLink, LabNode } from '../lab/lab.ts';

/** '1 × RTX 3080 · 4 CPU · 8 GB', as found on the machine: the same in every language. */
export function foundParts({ cpus, memoryBytes, gpus }: Hardware): string {
  return [
    // 'NVIDIA GeForce RTX 3080' is drawn as 'RTX 3080'.
    ...counted(gpus.map((gpu) => gpu.replace(/^(NVIDIA )?(GeForce )?/, ''))),
    `${cpus} CPU`,
    `${memoryBytes < 10e9 ? (memoryBytes / 1e9).toFixed(1) : Math.round(memoryBytes / 1e9)} GB`,
  ].join(' · ');
}

/** The same as drawn; undefined for a switch. */
export function drawnParts(node: LabNode): string | undefined {
  if (node.kind === 'switch') return undefined;
  const { flavour, cpus, memoryGb } = node.placement;
  const parts = [`${cpus} CPU`, `${memoryGb} GB`];
  if (flavour.gpuCount > 0) parts.unshift(`${flavour.gpuCount} × ${flavour.gpuModel || 'GPU'}`);
  return parts.join(' · ');
}

/** '10 Mbps · 20 ± 5 ms · 1 %': the values that are not zero. */
export function linkLabel(link: LabLink): string {
  const parts = [
    link.bandwidthMbps >= 1000
      ? `${round(link.bandwidthMbps / 1000)} Gbps`
      : `${round(link.bandwidthMbps)} Mbps`,
  ];
  const { delayMs, jitterMs = 0 } = link;
  const jitter = jitterMs > 0 ? `± ${round(jitterMs)} ` : '';
  if (delayMs > 0 || jitterMs > 0) parts.push(`${delayMs > 0 ? `${round(delayMs)} ` : ''}${jitter}ms`);
  if (link.lossPercent > 0) parts.push(`${round(link.lossPercent)} %`);
  return parts.join(' · ');
}

const round = (value: number): string => String(Number(value.toPrecision(4)));
