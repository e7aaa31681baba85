/** Raises a cluster by hand, until Ctrl+C: `node src/main/run/launch/slurm/testing/raise.ts [NODES] [--accounting]`, as root. */
import { raiseCluster } from './cluster.ts';

const cluster = await raiseCluster({
  nodes: Number(process.argv[2] ?? 2),
  accounting: process.argv.includes('--accounting'),
});
const { sshd, nodes } = cluster;
process.stdout.write(`${nodes.length} nodes: ${nodes.join(' ')}. Ctrl+C ends everything.
ssh -i ${sshd.keyFile} -p ${sshd.port} -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no ${sshd.user}@${sshd.host}
home of ${sshd.user} on all machines: ${sshd.home}
as root on a machine: ${cluster.machine('controller').through.join(' ')} bash    (login: ${cluster.machine('login').pid}; ${nodes.map((node) => `${node}: ${cluster.machine(node).pid}`).join(', ')})
`);
const alive = setInterval(() => undefined, 60_000);
process.once('SIGINT', () => {
  clearInterval(alive);
  void cluster.close();
});
