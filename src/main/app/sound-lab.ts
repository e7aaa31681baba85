/** A lab with errors starts no run. */
import { RinglabError } from '../../shared/base/errors.ts';
import { checkLab, hasErrors } from '../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';

/** Throws lab_has_errors, which names the first. */
export function mustBeSound(lab: LabDocument): void {
  const issues = checkLab(lab).filter((issue) => issue.severity === 'error');
  if (!hasErrors(issues)) return;
  const first = issues[0];
  throw new RinglabError(
    'lab_has_errors',
    { count: issues.length, first: `${first?.code ?? ''} (${first?.path ?? ''})` },
    { where: lab.name },
  );
}
