import { describe, expect, it } from 'vitest';
import { describeError } from '../i18n/error-texts.ts';
import type { Language } from '../base/language.ts';
import { toWireError } from '../base/errors.ts';
import { describeIssue, labErrors } from './issue-texts.ts';
import { checkLab } from './lab-check.ts';
import { LabIssueCode } from './lab-issue.ts';
import { emptyLab } from './lab.ts';

describe('lab issues', () => {
  it.each(LabIssueCode.options)('have a text for %s in both languages', (code) => {
    expect(describeIssue({ code, params: {} }, 'en')).toMatch(/^[^\p{Script=Han}]{10,}$/u);
    expect(describeIssue({ code, params: {} }, 'zh-CN')).toMatch(/\p{Script=Han}/u);
  });

  it('contain their parameters unchanged', () => {
    const issue = { code: 'duplicate_name', params: { name: '$& {b}' } } as const;
    expect(describeIssue(issue, 'en')).toContain('“$& {b}”');
    expect(describeIssue({ ...issue, params: {} }, 'en')).toContain('“?”');
  });

  it('are in the user’s language if they refuse a run', () => {
    const refused = labErrors(checkLab(emptyLab('l', 'L')), 'L');
    const wire = toWireError(refused);
    const noNodes = (language: Language) => describeIssue({ code: 'no_nodes', params: {} }, language);
    expect(describeError(wire, 'en').message).toContain(noNodes('en'));
    expect(describeError(wire, 'zh-CN').message).toContain(noNodes('zh-CN'));
    expect(labErrors([])).toBeUndefined();
  });
});
