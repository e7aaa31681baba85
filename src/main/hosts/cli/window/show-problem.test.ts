import { expect, it } from 'vitest';
import { problemPage } from './show-problem.ts';

it('shows each line as text, whatever a path in it contains', () => {
  const page = problemPage(['The folder /tmp/<script>alert("&")</script> is in use.', 'Close it.']);
  expect(page).toContain(
    '<p>The folder /tmp/&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt; is in use.</p>',
  );
  expect(page).toContain('<p>Close it.</p>');
  expect(page).not.toContain('<script');
});
