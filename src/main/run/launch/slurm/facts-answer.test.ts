import { describe, expect, it } from 'vitest';
import { minutesOf } from '../../../../shared/node/slurm-facts.ts';
import { parseFacts } from './facts-answer.ts';

const answer = (sections: Readonly<Record<string, string>>): string =>
  Object.entries(sections)
    .map(([title, text]) => `== ${title}\n${text}\n`)
    .join('');

describe('what a cluster says of itself', () => {
  it('is its partitions, with a line for each kind of node', () => {
    const { version, partitions } = parseFacts(
      answer({
        version: 'slurm-wlm 22.05.8',
        partitions: [
          'main*|up|1:00:00|10:00|1/2/1/4|4|4000|gpu:a100:2(S:0-1),nvme:1',
          'main*|up|1:00:00|10:00|0/1/0/1|64|256000|gpu:a100:1,gpu:h100:4',
          'long|down|infinite|n/a|0/0/8/8|128|1000000|(null)',
          'sinfo: error: something',
        ].join('\n'),
      }),
    );
    expect(version).toBe('22.05.8');
    expect(partitions).toEqual([
      {
        ...{ name: 'main', isDefault: true, isUp: true, maxMinutes: 60, defaultMinutes: 10 },
        nodes: [
          { count: 4, idle: 2, cpus: 4, memoryMb: 4000, gpus: [{ type: 'a100', count: 2 }] },
          {
            ...{ count: 1, idle: 1, cpus: 64, memoryMb: 256_000 },
            gpus: [
              { type: 'a100', count: 1 },
              { type: 'h100', count: 4 },
            ],
          },
        ],
      },
      {
        ...{ name: 'long', isDefault: false, isUp: false },
        nodes: [{ count: 8, idle: 0, cpus: 128, memoryMb: 1_000_000, gpus: [] }],
      },
    ]);
  });
  it('is GPUs of types that begin with a digit, and of parts of GPUs', () => {
    const gpusOf = (gres: string): unknown =>
      parseFacts(answer({ partitions: `main|up|1:00|1:00|0/1/0/1|64|256000|${gres}` })).partitions[0]
        ?.nodes[0]?.gpus;
    expect(gpusOf('gpu:2080ti:4(S:0-1)')).toEqual([{ type: '2080ti', count: 4 }]);
    expect(gpusOf('nvme:1,gpu:3090:8')).toEqual([{ type: '3090', count: 8 }]);
    expect(gpusOf('gpu:1g.5gb:7(S:0),gpu:a100_3g.20gb:2')).toEqual([
      { type: '1g.5gb', count: 7 },
      { type: 'a100_3g.20gb', count: 2 },
    ]);
    expect(gpusOf('gpu:2(IDX:0-1)')).toEqual([{ type: '', count: 2 }]);
  });
  it('is the user’s accounts on this cluster of a database, and what QOS allow', () => {
    const facts = parseFacts(
      answer({
        cluster: 'ringlab # ours',
        accounts: [
          'ringlab|lab||normal,one-gpu|normal|||',
          'ringlab|vision|gpu|high|high|4|10|2-00:00:00',
          'other|lab||normal|normal|||',
        ].join('\n'),
        qos: 'normal||||\none-gpu||gres/gpu=1||2',
      }),
    );
    expect(facts.accounts).toEqual([
      { name: 'lab', qos: ['normal', 'one-gpu'], defaultQos: 'normal' },
      {
        name: 'vision',
        partition: 'gpu',
        qos: ['high'],
        defaultQos: 'high',
        maxJobs: 4,
        maxSubmit: 10,
        maxTime: '2-00:00:00',
      },
    ]);
    expect(facts.qos).toEqual([
      { name: 'normal' },
      { name: 'one-gpu', maxOfUser: 'gres/gpu=1', maxSubmit: 2 },
    ]);
    expect(parseFacts('').accounts).toBeUndefined();
  });
  it('is the room in the home folder, and the narrowest quota that applies', () => {
    const facts = parseFacts(
      answer({
        home: 'nfs:/home 1000 600 400 60% /home',
        quota: [
          'nfs:/home 9000 10000 12000 0 10 0 0 0',
          '/lustre 50* 40 60 - 1 0 0 -',
          'x 5 0 0 0 1 0 0 0',
          'none',
        ].join('\n'),
      }),
    );
    expect(facts.home).toEqual({ total: 1000 * 1024, free: 400 * 1024 });
    expect(facts.quota).toEqual({ used: 50 * 1024, limit: 60 * 1024 });
  });
  it('is nothing else, whatever it prints', () => {
    const facts = parseFacts(
      `== partitions\n|||||||\n||\n${'x'.repeat(100_000)}\n== home\nno\n== quota\nx -5 1 1\n`,
    );
    expect(facts).toEqual({ version: '', partitions: [] });
    const long = `== partitions\n${'p'.repeat(500)}|up|1|1|1/1/1/1|1|1|\nshort|up|1|1|1/1/1/1|1|1|\n`;
    expect(parseFacts(long).partitions.map(({ name }) => name)).toEqual(['short']);
  });
  it('is much on a site with an account and a QOS for each group, and long limits', () => {
    const groups = Array.from({ length: 1200 }, (_, index) => `g${index}`);
    const limit = `gres/gpu=4,${'x'.repeat(300)}`;
    const facts = parseFacts(
      answer({
        cluster: 'HPC',
        accounts: groups.map((name) => `hpc|${name}||${groups.join(',')}|normal|||`).join('\n'),
        qos: groups.map((name) => `${name}||${limit}||`).join('\n'),
      }),
    );
    expect(facts.accounts).toHaveLength(1200);
    expect(facts.accounts?.[0]?.qos).toHaveLength(1200);
    expect(facts.qos?.[1199]).toEqual({ name: 'g1199', maxOfUser: limit.slice(0, 200) });
    const kinds = Array.from({ length: 300 }, (_, cpus) => `main*|up|1|1|0/1/0/1|${cpus + 1}|1|(null)`);
    expect(parseFacts(answer({ partitions: kinds.join('\n') })).partitions[0]?.nodes).toHaveLength(200);
  });
  it.each([
    ['30:00', 30],
    ['1:00:00', 60],
    ['2-00:00:00', 2880],
    ['1-12', 2160],
    ['90', 90],
    ['infinite', undefined],
    ['n/a', undefined],
  ])('%s is %s minutes', (text, minutes) => {
    expect(minutesOf(text)).toBe(minutes);
  });
});
