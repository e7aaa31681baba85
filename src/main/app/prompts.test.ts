import { describe, expect, it } from 'vitest';
import { createEventLog } from '../base/events.ts';
import { createPrompts } from './prompts.ts';

const question = {
  kind: 'password',
  labId: 'l',
  nodeId: 'n',
  nodeName: 'N1',
  host: 'h',
  user: 'root',
} as const;

describe('prompts', () => {
  it('asks every window and uses the first answer', async () => {
    const events = createEventLog();
    const names: string[] = [];
    events.subscribe((event) => names.push(event.name));
    const prompts = createPrompts(events);
    const asked = prompts.ask(question);
    const [prompt] = prompts.list();
    prompts.answer(prompt!.id, { kind: 'secret', secret: 's', remember: false });
    await expect(asked).resolves.toEqual({ kind: 'secret', secret: 's', remember: false });
    expect(() => prompts.answer(prompt!.id, { kind: 'refuse' })).toThrow('not_found');
    expect(names).toEqual(['prompt.asked', 'prompt.closed']);
  });

  it('is given up on abort and on close, each with its own code', async () => {
    const prompts = createPrompts(createEventLog());
    const abort = new AbortController();
    const first = prompts.ask(question, abort.signal);
    const second = prompts.ask(question);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    prompts.close();
    await expect(second).rejects.toMatchObject({ code: 'prompt_unanswered', where: 'N1' });
    expect(prompts.list()).toEqual([]);
  });
});

describe('the event log', () => {
  it('returns the events after a number, and reports if they are no longer kept', () => {
    const events = createEventLog();
    for (let i = 0; i < 12_000; i += 1) events.emit('run.removed', { runId: `r${i}` });
    expect(events.since(events.session, 11_998).events.map((event) => event.seq)).toEqual([11_999, 12_000]);
    expect(events.since(events.session, 12_000)).toEqual({ complete: true, events: [], lastSeq: 12_000 });
    expect(events.since(events.session, 5)).toEqual({ complete: false, events: [], lastSeq: 12_000 });
    expect(events.since('another process', 11_999).complete).toBe(false);
  });

  it('keeps only the newest event of each subject, and every number', () => {
    const events = createEventLog();
    const settings = (theme: 'light' | 'dark') =>
      events.emit('settings.changed', { settings: { language: 'en', theme, notifications: true } });
    settings('light');
    events.emit('run.removed', { runId: 'r' });
    settings('dark');
    expect(events.since(events.session, 0).events.map(({ seq, name }) => [seq, name])).toEqual([
      [1, 'skipped'],
      [2, 'run.removed'],
      [3, 'settings.changed'],
    ]);
  });
});
