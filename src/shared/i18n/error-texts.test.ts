import { describe, expect, it } from 'vitest';
import { errorCodes, RinglabError, toWireError, withOutput } from '../base/errors.ts';
import { describeError, detailLines } from './error-texts.ts';

describe('error texts', () => {
  it.each(errorCodes)('exist in both languages for %s', (code) => {
    const path = '/p';
    expect(describeError({ code, params: { path } }, 'en').message.length).toBeGreaterThan(3);
    expect(describeError({ code, params: { path } }, 'zh-CN').message).toMatch(/\p{Script=Han}|^\/p/u);
  });

  it('contain parameters and the place; a missing one is a question mark', () => {
    const refused = { code: 'host_refused', params: { host: 'n1', port: 22 }, where: 'N1' } as const;
    expect(describeError(refused, 'en').message).toBe('N1: n1:22 refuses connections.');
    expect(describeError(refused, 'zh-CN').message).toMatch(/^N1：/);
    expect(describeError({ ...refused, params: {} }, 'en').message).toBe('N1: ?:? refuses connections.');
  });

  it('insert parameters unchanged: not as templates, options or markup', () => {
    const hostile = '{{port}} $t(errors.cancelled.message) $& <b> {{-host}}';
    const params = { host: hostile, port: '$1', lng: 'zh-CN', count: 2, context: 'x', replace: 'y' };
    expect(describeError({ code: 'host_refused', params, where: hostile }, 'en').message).toBe(
      `${hostile}: ${hostile}:$1 refuses connections.`,
    );
  });

  it('show sizes in the largest unit that fits', () => {
    const params = { path: '/home', needed: 21_500_000_000, free: 1024 };
    const said = (language: 'en' | 'zh-CN') =>
      describeError({ code: 'node_disk_full', params }, language).message;
    expect(said('en')).toBe('Not enough space in /home: 21.5 GB needed, 1 kB free.');
    expect(said('zh-CN')).toBe('/home 空间不足：需要 21.5 GB，剩余 1 kB。');
  });

  it('name no numbers where a disk has more than is needed, as with an exhausted quota', () => {
    const params = { path: '/home', needed: 0, free: 12e12 };
    const { message, hint } = describeError({ code: 'node_disk_full', params, where: 'N1' }, 'en');
    expect(message).toMatch(/^N1: The node can write no more in \/home: .*quota/);
    expect(message).not.toMatch(/\d [kMGT]?B/);
    expect(hint).toContain('`df -i`');
    expect(describeError({ code: 'node_disk_full', params }, 'zh-CN').message).toMatch(/配额.*用尽/);
  });

  it('name the kind of a missing object in the user’s language; an unknown kind unchanged', () => {
    const missing = (what: string) => ({ code: 'not_found', params: { what, id: 'x' } }) as const;
    expect(describeError(missing('run'), 'en').message).toBe('The run “x” does not exist.');
    expect(describeError(missing('run'), 'zh-CN').message).toBe('运行“x”不存在。');
    expect(describeError(missing('constructor'), 'zh-CN').message).toBe('constructor“x”不存在。');
  });

  it('translate a phrase parameter, after the wire, too; a text from an older version is English only', () => {
    const reason = { en: 'it is damaged', 'zh-CN': '已损坏' };
    const wire = toWireError(new RinglabError('file_unreadable', { path: '/p', reason }));
    expect(wire.params).toEqual({ path: '/p', reason: 'it is damaged', 'reason.zh-CN': '已损坏' });
    expect(describeError(wire, 'en').message).toBe('/p cannot be read: it is damaged');
    expect(describeError(wire, 'zh-CN').message).toContain('已损坏');
    const older = { ...wire, params: { path: '/p', reason: 'it is damaged' } };
    expect(describeError(older, 'zh-CN').message).toContain('it is damaged');
  });

  it('show a detail of our own words in the user’s language, and a program’s as it is', () => {
    const detail = { en: 'it does not answer', 'zh-CN': '没有应答' };
    const wire = toWireError(new RinglabError('channel_refused', { host: 'n1' }, { detail }).at('N1'));
    expect(wire).toMatchObject({ detail: 'it does not answer', where: 'N1' });
    expect(detailLines(wire, 'en')).toEqual(['it does not answer']);
    expect(detailLines(wire, 'zh-CN')).toEqual(['没有应答']);
    expect(detailLines(withOutput(wire, 'one\ntwo'), 'zh-CN')).toEqual(['one', 'two']);
    const said = toWireError(new RinglabError('channel_refused', { host: 'n1' }, { detail: 'open failed' }));
    expect(detailLines(said, 'zh-CN')).toEqual(['open failed']);
    expect(detailLines({ ...said, detail: ' ' }, 'zh-CN')).toEqual(['没有输出']);
    expect(detailLines({ params: {} }, 'en')).toEqual([]);
  });

  it('name their node once, and those about this computer’s disk none', () => {
    const silent = new RinglabError('agent_silent', {}).at('N1');
    expect(silent.at('N2').where).toBe('N1');
    const full = new RinglabError('local_disk_small', { path: '/data/model', needed: 2e9, free: 5e6 }).at(
      'N1',
    );
    expect(describeError(toWireError(full), 'en').message).toBe(
      'Not enough space on this computer in /data/model: 2 GB needed, 5 MB free.',
    );
  });
});
