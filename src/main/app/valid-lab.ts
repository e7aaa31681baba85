/** Refuses to start a run of a lab that has errors, or needs what this computer does not have. */
import { labErrors } from '../../shared/lab/issue-texts.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { checkHere, type ThisComputer } from '../lab/index.ts';

/** Rejects with `lab_has_errors`, which names the first error. */
export async function requireValidLab(lab: LabDocument, computer: ThisComputer): Promise<void> {
  const issues = [...checkLab(lab), ...(await checkHere(lab, computer))];
  const refused = labErrors(issues, lab.name);
  if (refused !== undefined) throw refused;
}
