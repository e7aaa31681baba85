/** A ring around a node's icon that shows the utilisation of its GPUs (of its CPUs, if no GPU reports it). */
import type { ReactNode } from 'react';
import { cpuShare, gpuShare } from './busy.ts';
import classes from './NodeRing.module.css';
import type { NodeLiveProps } from './NodeLive.tsx';
import { useSamples } from './use-samples.ts';

const radius = 10.5;
const around = 2 * Math.PI * radius;

export function NodeRing({ runId, nodeId, children }: NodeLiveProps & { readonly children: ReactNode }) {
  const { samples, own } = useSamples(runId, nodeId);
  const last = samples.at(-1);
  const share = last === undefined ? undefined : (gpuShare(last, own) ?? cpuShare(last));
  if (share === undefined) return children;
  const full = Math.max(0, Math.min(100, share));
  return (
    <span className={classes.ring} data-share={Math.round(full)}>
      {/* The card's foot shows the same as text. */}
      <svg viewBox="0 0 24 24" aria-hidden>
        <circle cx="12" cy="12" r={radius} className={classes.ringGround} />
        <circle
          cx="12"
          cy="12"
          r={radius}
          className={classes.ringShare}
          strokeDasharray={`${(around * full) / 100} ${around}`}
          transform="rotate(-90 12 12)"
        />
      </svg>
      {children}
    </span>
  );
}
