/** Which advice applies to a finding: nothing is suggested that the run has already, or that its nodes rule out. Pure. */
import { settingsOf } from '../../../shared/settings/index.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Finding } from './why-slow.ts';

export type WhyHint =
  | 'dataHint'
  | 'dataScriptHint'
  | 'savingHint'
  | 'lineHint'
  | 'compileHint'
  | 'slowRankHint'
  | 'slowRankSharedHint'
  | 'slowRankLineHint'
  | 'throttledHint'
  | 'networkHint'
  | 'networkChosenHint'
  | 'networkScriptHint'
  | 'computeHint'
  | 'computeAmpHint'
  | 'computeScriptHint';

type Advised = Pick<RunRecord, 'lab' | 'ranks' | 'estimate'>;

/** What tells machines apart: local nodes are this computer, others by their address. */
function machineOf({ lab }: Advised, nodeId: string): string {
  const access = lab.nodes.find(({ id }) => id === nodeId)?.access;
  return access?.type === 'ssh' ? `${access.host}:${access.port}` : 'local';
}

/** Whether a rank shares its machine with ranks of other nodes, and takes turns with them. */
function sharesMachine(run: Advised, rank: number): boolean {
  const own = run.ranks.find((one) => one.rank === rank)?.nodeId;
  if (own === undefined) return false;
  const machine = machineOf(run, own);
  return run.ranks.some(({ nodeId }) => nodeId !== own && machineOf(run, nodeId) === machine);
}

export function hintFor(finding: Finding, run: Advised): WhyHint {
  const { experiment } = run.lab;
  const { script } = experiment;
  switch (finding.code) {
    case 'data':
      return script === undefined ? 'dataHint' : 'dataScriptHint';
    case 'saving':
      return 'savingHint';
    case 'line':
      return 'lineHint';
    case 'compile':
      return 'compileHint';
    case 'slowRank':
      if (finding.byLine === true) return 'slowRankLineHint';
      return sharesMachine(run, finding.rank) ? 'slowRankSharedHint' : 'slowRankHint';
    case 'throttled':
      return 'throttledHint';
    case 'network':
      if (script !== undefined) return 'networkScriptHint';
      return run.estimate?.asked === 'auto' ? 'networkChosenHint' : 'networkHint';
    case 'compute':
      if (script !== undefined) return 'computeScriptHint';
      return settingsOf(experiment).amp === 'off' ? 'computeHint' : 'computeAmpHint';
  }
}
