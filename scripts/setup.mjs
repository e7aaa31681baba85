/** `npm run setup`: sets up everything that `npm start` and `npm test` need. It can be repeated. */
import { main, setUp } from './setup/index.mjs';

await main(async () => {
  await setUp();
});
