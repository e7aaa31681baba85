import { describe, expect, it } from 'vitest';
import { Experiment, LabDocument, LabLink } from '../../shared/lab/lab.ts';
import { checkNumber, checkText } from './field-value.ts';

const epochs = Experiment.shape.epochs;
const rate = Experiment.shape.learningRate;
const problem = (key: string, limit = 0) => ({ ok: false, problem: { key, params: { limit } } });

describe('typed numbers', () => {
  it.each([
    ['5', 5],
    [' 12 ', 12],
    ['1e2', 100],
    ['+7', 7],
    ['１２', 12],
  ])('%j is %d epochs', (text, value) => expect(checkNumber(epochs, text)).toEqual({ ok: true, value }));

  it.each([
    ['1 Gbps', 1000],
    ['1G', 1000],
    ['2,5 Gbit/s', 2500],
    ['33.3 kbps', 0.0333],
    ['100 Mbps', 100],
    ['1e3 mbps', 1000],
    ['1 GBPS', 1000],
    ['１　Ｇｂｐｓ', 1000],
  ])('%j is a bandwidth of %d Mbps', (text, value) =>
    expect(checkNumber(LabLink.shape.bandwidthMbps, text, 'Mbps')).toEqual({ ok: true, value }),
  );

  it.each([
    ['1 GB/s', 'Mbps'],
    // Bytes: eight times as much.
    ['100 MBps', 'Mbps'],
    ['1 GBps', 'Mbps'],
    ['64 kBps', 'Mbps'],
    ['1 Gbps', 'ms'],
    ['Mbps', 'Mbps'],
    ['10,000 Mbps', 'Mbps'],
    ['1e', 'Mbps'],
    ['20 ms', ''],
  ])('%j is no number in a field of %j', (text, unit) =>
    expect(checkNumber(LabLink.shape.delayMs, text, unit)).toEqual(problem('notNumber')),
  );

  it('is taken with the unit of its field', () => {
    expect(checkNumber(LabLink.shape.delayMs, '20 ms', 'ms')).toEqual({ ok: true, value: 20 });
    expect(checkNumber(LabLink.shape.lossPercent, '1%', '%')).toEqual({ ok: true, value: 1 });
  });

  it.each([
    ['0,05', 0.05],
    ['０．５', 0.5],
    ['.5', 0.5],
    ['1e-4', 0.0001],
    ['1.', 1],
  ])('%j is a rate of %d', (text, value) => expect(checkNumber(rate, text)).toEqual({ ok: true, value }));

  it.each([
    ['', problem('empty')],
    ['  ', problem('empty')],
    ['five', problem('notNumber')],
    ['1 2', problem('notNumber')],
    ['0x10', problem('notNumber')],
    ['Infinity', problem('notNumber')],
    ['--1', problem('notNumber')],
    ['10⁴', problem('notNumber')],
    ['10²', problem('notNumber')],
    ['2.5', problem('whole')],
    ['0', problem('atLeast', 1)],
    ['100001', problem('atMost', 100_000)],
  ])('%j is not a number of epochs', (text, result) => expect(checkNumber(epochs, text)).toEqual(result));

  it.each(['10,000', '-1,500', '1,500,000', '1.500.000', '10 000', "10'000", '1,500.5'])(
    '%j may have groups of thousands: it is no bandwidth',
    (text) => expect(checkNumber(LabLink.shape.bandwidthMbps, text)).toEqual(problem('notNumber')),
  );

  it.each(['1,000', '1.000', '60,000', '100.000'])(
    '%j, with a comma or a point, is no number of epochs',
    (text) => expect(checkNumber(epochs, text)).toEqual(problem('notNumber')),
  );

  it.each([
    ['0,125', 0.125],
    ['12,5', 12.5],
    ['1,2345', 1.2345],
    ['1234,567', 1234.567],
    // As the field itself writes it.
    ['12.345', 12.345],
    ['1.500', 1.5],
  ])('%j is a bandwidth of %d', (text, value) =>
    expect(checkNumber(LabLink.shape.bandwidthMbps, text)).toEqual({ ok: true, value }),
  );

  it('respects exclusive bounds', () => {
    expect(checkNumber(LabLink.shape.bandwidthMbps, '0')).toEqual(problem('above', 0));
    expect(checkNumber(LabLink.shape.delayMs, '0')).toEqual({ ok: true, value: 0 });
    expect(checkNumber(rate, '1e999')).toMatchObject({ ok: false });
  });
});

it('a text is refused only if it is too long', () => {
  expect(checkText(LabDocument.shape.name, '😀 实验')).toEqual({ ok: true, value: '😀 实验' });
  expect(checkText(LabDocument.shape.name, '')).toEqual({ ok: true, value: '' });
  expect(checkText(LabDocument.shape.name, 'x'.repeat(121))).toEqual(problem('tooLong', 120));
});
