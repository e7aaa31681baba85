/** For tests: programs inside namespaces that connect to each other and send to each other. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const inNamespace = async (namespace: string, program: string, ...args: string[]): Promise<string> =>
  (await execute('nsenter', [`--net=/run/netns/${namespace}`, program, ...args], { maxBuffer: 1e7 })).stdout;

/** Listens on every address, greets whoever connects with its name, and takes what it is sent. */
const listener = `
const net = require('node:net');
net.createServer((socket) => {
  let bytes = 0, from = 0;
  socket.write(process.argv[1]);
  socket.on('data', (data) => { from ||= performance.now(); bytes += data.length; });
  socket.on('end', () => socket.end(' ' + bytes + ' ' + (performance.now() - from)));
  socket.on('error', () => {});
}).listen(7000, '0.0.0.0', () => console.log('ready'));`;

/** Connects to the address from its own, sends so many bytes, prints what it received. */
const connector = `
const net = require('node:net');
const [host, bytes] = process.argv.slice(1);
const socket = net.connect({ host, port: 7000 });
setTimeout(() => { console.log('timeout'); process.exit(1); }, 20000).unref();
let said = '';
socket.on('connect', () => socket.end(Buffer.alloc(Number(bytes))));
socket.on('data', (data) => said += data);
socket.on('close', () => console.log(said, socket.localAddress ?? ''));
socket.on('error', (error) => { console.log(error.message); process.exit(1); });`;

export async function startListener(namespace: string, name: string): Promise<ChildProcess> {
  const args = [`--net=/run/netns/${namespace}`, process.execPath, '-e', listener, name];
  const child = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

/** Whose listener answered, how many bytes it took in how many seconds. */
export async function sendTo(
  namespace: string,
  address: string,
  bytes: number,
): Promise<{ name: string; bytes: number; seconds: number }> {
  const said = await inNamespace(namespace, process.execPath, '-e', connector, address, String(bytes));
  const [name = '', count, milliseconds] = said.trim().split(' ');
  return { name, bytes: Number(count), seconds: Number(milliseconds) / 1000 };
}
