/** For tests: shell text that starts what each machine of a cluster runs. Pure. */
import type { users } from './cluster-folder.ts';

const munged = `mkdir -m 755 /run/munge /run/sshd
munged --key-file=/etc/slurm/munge.key --socket=/run/munge/munge.socket.2 --pid-file=/run/munge/munged.pid \\
  --log-file=/srv/munged.log --seed-file=/srv/munged.seed --num-threads=1
install -d -o slurm /run/slurm`;

/** Resolves within a minute or fails: a service that never answers should say so. */
const until = (condition: string): string =>
  `tries=0; until ${condition}; do tries=$((tries + 1)); [ $tries -lt 600 ] || { ${saysWhy(condition)}; exit 1; }; sleep 0.1; done`;

const saysWhy = (condition: string): string =>
  `echo 'a minute passed without: ${condition}' >&2; tail -n 3 /srv/*.log >&2`;

/** Without a password: only this machine's processes reach its socket. */
const database = `install -d /run/mysqld /srv/mysql
[ -d /srv/mysql/mysql ] || mariadb-install-db --no-defaults --user=root --datadir=/srv/mysql \\
  --auth-root-authentication-method=normal --skip-test-db >/srv/mariadb-install.log
mariadbd --no-defaults --user=root --datadir=/srv/mysql --socket=/run/mysqld/mysqld.sock --skip-networking \\
  --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=0 >/srv/mariadb.log 2>&1 &
${until('[ -S /run/mysqld/mysqld.sock ]')}`;

const add = (what: string): string => `sacctmgr -i add ${what} >>/srv/sacctmgr.log`;

/** Before the controller starts, which finds its cluster there. */
const accountingServices = `chown slurm: /etc/slurm/slurmdbd.conf; chmod 600 /etc/slurm/slurmdbd.conf
install -o slurm /dev/null /srv/slurmdbd.log
${database}
slurmdbd
${until('sacctmgr -n list cluster >/dev/null 2>&1')}
${add('cluster ringlab')}`;

/** After the controller has started, which makes GPUs known: an account, and limits of a user's jobs and GPUs. */
const associations = (names: readonly (keyof typeof users)[]): string =>
  [
    until('sacctmgr -n list tres | grep -q gpu'),
    add('account lab'),
    add('qos two-jobs MaxSubmitJobsPerUser=2'),
    add('qos one-gpu MaxTRESPerUser=gres/gpu=1'),
    ...names.map((name) => add(`user ${name} Account=lab QOS=normal,two-jobs,one-gpu DefaultQOS=normal`)),
  ].join('\n');

export function bootOf(machine: string, accounting: boolean, names: readonly (keyof typeof users)[]): string {
  if (machine === 'login') return munged;
  if (machine !== 'controller') return `${munged}\nslurmd`;
  return [
    munged,
    ...(accounting ? [accountingServices] : []),
    'install -d -o slurm /srv/slurmctld',
    'install -o slurm /dev/null /srv/slurmctld.log',
    'slurmctld',
    ...(accounting ? [associations(names)] : []),
  ].join('\n');
}
