/** Chinese words of the window that are easily mistaken for one another. */
import { expect, it } from 'vitest';
import { canvas } from './zh/canvas.ts';
import { commands } from './zh/commands.ts';
import { inspector } from './zh/inspector.ts';

it('a duplicate is not called a copy, which goes to the clipboard', () => {
  const { copy, duplicate, duplicateLab } = commands.name;
  // The last two letters are the noun.
  const noun = duplicate.slice(-2);
  const texts = [duplicateLab, inspector.several.duplicate, inspector.node.saveAndDuplicate, canvas.nodeHelp];
  for (const text of texts) {
    expect(text).toContain(noun);
    expect(text).not.toContain(copy);
  }
});
