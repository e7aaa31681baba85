/** `npm run --silent ringlab -- …`: the command line. The set-up speaks on standard error alone, and only when it works. */
import { ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';

await main(async () => {
  const { node } = await setUp({ quiet: true, lenient: true });
  return ringlab(node, process.argv.slice(2));
});
