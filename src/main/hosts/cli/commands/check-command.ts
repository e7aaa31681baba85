/** `ringlab check LAB`: prints the issues that the window would show. */
import { homedir } from 'node:os';
import { describeIssue, labErrors } from '../../../../shared/lab/issue-texts.ts';
import { checkLab, hasErrors, rankCount } from '../../../../shared/lab/lab-check.ts';
import { lostRankPolicy } from '../../../../shared/lab/lost-rank.ts';
import type { LabIssue } from '../../../../shared/lab/lab-issue.ts';
import { checkHere } from '../../../lab/index.ts';
import { runningAgent } from '../../../ssh/index.ts';
import { defaultRestartsPerHour, trainingNodes, type LabDocument } from '../../../../shared/lab/lab.ts';
import { language, speak } from '../speak.ts';

/** With the path inside the file, since a terminal cannot highlight it. */
export const issueLine = (issue: LabIssue): string =>
  speak('cli.issue', {
    severity: speak(`cli.severity.${issue.severity}`),
    path: issue.path,
    text: describeIssue(issue, language),
  });

/** The lab, if it has a training node; otherwise the command would silently do nothing. Throws `lab_has_errors`. */
export function mustTrain(lab: LabDocument): LabDocument {
  const nothing = checkLab(lab).filter(({ code }) => code === 'no_nodes' || code === 'only_switches');
  const refused = labErrors(nothing, lab.name);
  if (refused !== undefined) throw refused;
  return lab;
}

/** 0 where the lab can run, 2 where it cannot. */
export async function checkCommand(lab: LabDocument): Promise<number> {
  const here = { home: homedir(), agent: await runningAgent(), platform: process.platform };
  const issues = [...checkLab(lab), ...(await checkHere(lab, here))];
  for (const issue of issues) process.stderr.write(`${issueLine(issue)}\n`);
  const { onLostRank, restartsPerHour = defaultRestartsPerHour } = lab.experiment;
  const ranks = rankCount(lab);
  // Which exchange is used is known once the nodes are: Gloo, as far as the lab leaves it open.
  const policy = lostRankPolicy(lab.experiment, { backend: 'gloo', ranks });
  if (policy === 'restart') process.stderr.write(`${speak('cli.restarts', { count: restartsPerHour })}\n`);
  if (policy === 'continue') process.stderr.write(`${speak('cli.goesOn', { count: restartsPerHour })}\n`);
  const summary = {
    lab: lab.name,
    ok: !hasErrors(issues),
    nodes: trainingNodes(lab).length,
    ranks,
    links: lab.links.length,
    onLostRank: onLostRank ?? 'auto',
    issues,
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  return summary.ok ? 0 : 2;
}
