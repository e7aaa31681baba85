/** For tests: programs in namespaces that connect and send to each other. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const inNamespace = async (namespace: string, program: string, ...args: string[]): Promise<string> =>
  (await execute('nsenter', [`--net=/run/netns/${namespace}`, program, ...args], { maxBuffer: 1e7 })).stdout;

/** Listens on every address, sends its name to each client, and reads what it receives. */
const listener = `
const net = require('node:net');
net.createServer((socket) => {
  let bytes = 0;
  socket.write(process.argv[1]);
  socket.on('data', (data) => { bytes += data.length; });
  socket.on('end', () => socket.end(' ' + bytes));
  socket.on('error', () => {});
}).listen(7000, '0.0.0.0', () => console.log('ready'));`;

/**
 * Connects to each address from its own, sends so many bytes, and prints what it received and the time until
 * everything had arrived: a busy machine never increases the measured rate.
 */
const connector = `
const net = require('node:net');
const [bytes, ...hosts] = process.argv.slice(1);
setTimeout(() => { console.log('timeout'); process.exit(1); }, 60000).unref();
const next = () => {
  const host = hosts.shift();
  if (host === undefined) return;
  const socket = net.connect({ host, port: 7000 });
  let said = '', from = 0;
  socket.on('connect', () => { from = performance.now(); socket.end(Buffer.alloc(Number(bytes))); });
  socket.on('data', (data) => said += data);
  socket.on('close', () => { console.log(said, performance.now() - from); next(); });
  socket.on('error', (error) => { console.log(error.message); process.exit(1); });
};
next();`;

export async function startListener(namespace: string, name: string): Promise<ChildProcess> {
  const args = [`--net=/run/netns/${namespace}`, process.execPath, '-e', listener, name];
  const child = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

/** Which listener answered, how many bytes it received in how many seconds. */
export interface Sent {
  readonly name: string;
  readonly bytes: number;
  readonly seconds: number;
}

/** Sends to one address after another. */
export async function sendToEach(
  namespace: string,
  addresses: readonly string[],
  bytes: number,
): Promise<Sent[]> {
  const output = await inNamespace(
    namespace,
    process.execPath,
    ...['-e', connector, String(bytes), ...addresses],
  );
  return output
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', count, milliseconds] = line.split(' ');
      return { name, bytes: Number(count), seconds: Number(milliseconds) / 1000 };
    });
}

export async function sendTo(namespace: string, address: string, bytes: number): Promise<Sent> {
  const [sent] = await sendToEach(namespace, [address], bytes);
  if (sent === undefined) throw new Error(`nothing was said of ${address}`);
  return sent;
}
