/** `npm run setup`: everything that `npm start` and `npm test` need. Doing it twice is harmless. */
import { main, setUp } from './setup/index.mjs';

await main(async () => {
  await setUp();
});
