/** `npm run --silent ringlab -- …`: the command line. Set-up messages go to standard error, and only if there is work to do. */
import { ringlab } from './setup/hand-over.mjs';
import { main, setUp } from './setup/index.mjs';

await main(async () => {
  const { node } = await setUp({ quiet: true, lenient: true, purpose: 'app' });
  return ringlab(node, process.argv.slice(2));
});
