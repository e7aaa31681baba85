/** Reporter: prints what the page showed where a test failed, since of CI's machine only the output is kept. */
import { readFileSync } from 'node:fs';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** Lines that are printed of a page: its beginning, and its end, where menus and dialogs are. */
const [first, last] = [30, 60];

/** The part of Playwright's `error-context.md` that describes the page. */
const pageSnapshot = (context: string): string[] =>
  (/^# Page snapshot\s+```yaml\n(.*?)\n```/ms.exec(context)?.[1] ?? '')
    .split('\n')
    .filter((line) => line !== '');

export default class FailedPage implements Reporter {
  onTestEnd(test: TestCase, { attachments }: TestResult): void {
    for (const { name, path } of attachments) {
      if (name !== 'error-context' || path === undefined) continue;
      const lines = pageSnapshot(readFileSync(path, 'utf8'));
      const rest = lines.length - first - last;
      process.stdout.write(
        [
          `the page of '${test.title}' when it failed:`,
          ...(rest <= 0
            ? lines
            : [...lines.slice(0, first), `… ${String(rest)} lines more`, ...lines.slice(-last)]),
          '',
        ].join('\n'),
      );
    }
  }
}
