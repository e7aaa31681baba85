/** Process of lock.test.ts: opens a data folder and holds it until it is killed. */
import { openStore } from '../index.ts';

await openStore(process.argv[2] ?? '');
process.stdout.write('open\n');
