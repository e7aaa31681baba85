/** `ringlab export LAB --slurm`: the exact `sbatch` script of a lab, without any cluster. */
import { labErrors } from '../../../../shared/lab/issue-texts.ts';
import { checkLab } from '../../../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { slurmOf } from '../../../../shared/lab/reached.ts';
import { previewScript } from '../../../../shared/lab/slurm-script.ts';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';

/**
 * With what the lab names of a cluster; otherwise with a cluster's defaults.
 * @throws lab_has_errors
 */
export function slurmScript(lab: LabDocument): string {
  const refused = labErrors(checkLab(lab), lab.name);
  if (refused !== undefined) throw refused;
  const slurm = slurmOf(lab) ?? newSlurmTarget();
  const onCluster = { ...lab, experiment: { ...lab.experiment, where: slurm } };
  return previewScript(onCluster, slurm);
}
