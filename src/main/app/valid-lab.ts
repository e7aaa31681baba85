/** Refuses to start a run of a lab that has errors. */
import { labErrors } from '../../shared/lab/issue-texts.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';

/** Throws `lab_has_errors`, which names the first error. */
export function requireValidLab(lab: LabDocument): void {
  const refused = labErrors(checkLab(lab), lab.name);
  if (refused !== undefined) throw refused;
}
