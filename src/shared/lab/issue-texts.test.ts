import { describe, expect, it } from 'vitest';
import { describeError } from '../base/error-texts.ts';
import { toWireError } from '../base/errors.ts';
import { describeIssue, issueTexts, labErrors } from './issue-texts.ts';
import { checkLab, LabIssueCode } from './lab-check.ts';
import { emptyLab } from './lab.ts';

const parameters = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();

describe('what is wrong with a lab', () => {
  it.each(LabIssueCode.options)('%s says the same in both languages', (code) => {
    const { en, 'zh-CN': zh } = issueTexts;
    expect(zh[code]).toMatch(/[\u4e00-\u9fff]/);
    expect(parameters(zh[code])).toEqual(parameters(en[code]));
  });

  it('is filled with its parameters, whatever stands in them', () => {
    const issue = { code: 'duplicate_name', params: { name: '$& {b}' } } as const;
    expect(describeIssue(issue, 'en')).toContain('“$& {b}”');
    expect(describeIssue({ ...issue, params: {} }, 'en')).toContain('“?”');
  });

  it('is said in the user’s language where a run is refused for it', () => {
    const refused = labErrors(checkLab(emptyLab('l', 'L')), 'L');
    const wire = toWireError(refused);
    expect(describeError(wire, 'en').message).toContain(issueTexts.en.no_nodes);
    expect(describeError(wire, 'zh-CN').message).toContain(issueTexts['zh-CN'].no_nodes);
    expect(labErrors([])).toBeUndefined();
  });
});
