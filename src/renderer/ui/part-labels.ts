/** The labels of nodes and links on the drawing and in pictures of it. */
import type { LabLink, LabNode } from '../../shared/lab/lab.ts';

/** '1 × RTX 3080 · 4 CPU · 8 GB': the same in every language; undefined for a switch. */
export function hardware(node: LabNode): string | undefined {
  if (node.kind === 'switch') return undefined;
  const { flavour, cpus, memoryGb } = node.placement;
  const parts = [`${cpus} CPU`, `${memoryGb} GB`];
  if (flavour.gpuCount > 0) parts.unshift(`${flavour.gpuCount} × ${flavour.gpuModel || 'GPU'}`);
  return parts.join(' · ');
}

/** '10 Mbps · 20 ms · 1 %': the values that are not zero. */
export function linkLabel(link: LabLink): string {
  const parts = [
    link.bandwidthMbps >= 1000
      ? `${round(link.bandwidthMbps / 1000)} Gbps`
      : `${round(link.bandwidthMbps)} Mbps`,
  ];
  if (link.delayMs > 0) parts.push(`${round(link.delayMs)} ms`);
  if (link.lossPercent > 0) parts.push(`${round(link.lossPercent)} %`);
  return parts.join(' · ');
}

const round = (value: number): string => String(Number(value.toPrecision(4)));
