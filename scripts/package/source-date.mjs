/** The time that packages carry: not that of their making, so that two builds of the same sources are equal. */
import { runCommand } from '../setup/command.mjs';
import { inProject } from '../setup/project.mjs';

const year2000 = 946_684_800;

/** SOURCE_DATE_EPOCH (reproducible-builds.org), else the time of the commit, in seconds since 1970. @returns {Promise<number>} */
export async function sourceDate() {
  const asked = process.env.SOURCE_DATE_EPOCH;
  if (asked !== undefined && /^\d{1,10}$/.test(asked)) return Number(asked);
  const { code, output } = await runCommand('git', ['log', '-1', '--format=%ct'], { cwd: inProject() });
  return code === 0 && /^\d{1,10}$/.test(output.trim()) ? Number(output.trim()) : year2000;
}
