// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { chartSvg } from './chart-export.ts';

const namespace = 'http://www.w3.org/2000/svg';

it('a chart’s drawing is XML, whatever its names contain', () => {
  const name = 'a\u00a0b & <c> "d"';
  const drawn = document.createElementNS(namespace, 'svg');
  drawn.setAttribute('width', '300');
  drawn.setAttribute('height', '200');
  const group = document.createElementNS(namespace, 'g');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('name', name);
  const text = document.createElementNS(namespace, 'text');
  text.textContent = name;
  group.append(path, text);
  drawn.append(group);
  document.body.append(drawn);
  const made = new DOMParser().parseFromString(
    chartSvg(drawn, name, [{ name, colour: 'red' }]),
    'image/svg+xml',
  );
  expect(made.querySelector('parsererror')?.textContent).toBeUndefined();
  expect(made.querySelector('path')?.getAttribute('name')).toBe(name);
  const texts = [...made.querySelectorAll('text')];
  expect(texts.map((one) => one.textContent)).toEqual([name, name, name]);
  expect(new Set(texts.map((one) => one.namespaceURI))).toEqual(new Set([namespace]));
});
