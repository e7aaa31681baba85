/** The exact command of every rank as a POSIX shell script that anyone can run by hand. Pure. */
import type { RunRecord } from '../../shared/run.ts';
import type { LabNode } from '../../shared/lab.ts';
import { asOneLine } from '../../shared/plain-text.ts';
import { shellQuote } from '../ssh/index.ts';

/** `sh commands.sh 0` on rank 0's machine, `sh commands.sh 1` on rank 1's, and so on. */
export function commandScript(run: RunRecord): string {
  const header = [
    '#!/bin/sh',
    `# Ringlab run ${asOneLine(run.id)}: ${asOneLine(run.name)}`,
    `# ${run.ranks.length} ranks, attempt ${run.attempt}${run.master === undefined ? '' : `, meeting at ${asOneLine(run.master.host)}:${run.master.port}`}`,
    '#',
    '# Start every rank on its own machine, all within a minute:',
    ...run.ranks.map((rank) => {
      const node = run.lab.nodes.find((candidate) => candidate.id === rank.nodeId);
      return `#   ${asOneLine(rank.nodeName)}${node === undefined ? '' : ` (${asOneLine(placeOf(node))})`}: sh commands.sh ${rank.rank}`;
    }),
    '',
  ];
  const cases = run.ranks.map((rank) => {
    const exports = Object.entries(rank.env).map(
      ([name, value]) => `    export ${shellQuote(`${name}=${value}`)}`,
    );
    return [
      `  ${rank.rank})`,
      `    mkdir -p ${shellQuote(rank.directory)} && cd ${shellQuote(rank.directory)} || exit 1`,
      ...exports,
      `    exec ${rank.enter === undefined ? '' : `${rank.enter} `}${rank.argv.map(shellQuote).join(' ')}`,
      '    ;;',
    ].join('\n');
  });
  return [
    ...header,
    'case "$1" in',
    ...cases,
    '  *)',
    `    echo "usage: sh commands.sh RANK   (0 to ${run.ranks.length - 1})" >&2`,
    '    exit 2',
    '    ;;',
    'esac',
    '',
  ].join('\n');
}

function placeOf(node: LabNode): string {
  if (node.access.type === 'local') return 'this computer';
  const { user, host, port } = node.access;
  return `ssh -p ${port} ${shellQuote(`${user}@${host}`)}`;
}
