/** Why Slurm does not take a job, from what `sbatch` or `srun` says. Pure. */

/** What a plugin of a site's own ends with, whatever it said before. */
const saysNothing = /unspecified error$/i;
/** What the program itself says at the end, in general words. */
const ending = /^(Batch job submission failed|Unable to allocate resources|Allocation failure)/i;
const longest = 300;

/** All its reasons in one line, the particular ones first; '' where it says none. */
export function refusalOf(said: string): string {
  const lines = said
    .split('\n')
    .flatMap((line) => /(?:error|failure):\s*(.*\p{L}.*)/u.exec(line)?.[1]?.trim() ?? []);
  const reasons = [
    ...lines.filter((line) => !ending.test(line)),
    ...lines.filter((line) => ending.test(line)),
  ];
  const particular = reasons.filter((reason) => !saysNothing.test(reason));
  const shown = lines.length === 0 ? [said.trim()] : particular.length === 0 ? reasons : particular;
  return [...new Set(shown)].join('; ').slice(0, longest);
}
