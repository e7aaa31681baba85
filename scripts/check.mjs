/** `npm run check`: types, lint, format, the order of the folders, C++ warnings. */
import { main, setUp } from './setup/index.mjs';
import { runChecks } from './suites/checks.mjs';

await main(async () => {
  const { node } = await setUp({ quiet: true, lenient: true });
  const { failed } = await runChecks(node);
  return failed === 0 ? 0 : 1;
});
