/** Draws the app's icons in all their sizes from assets/icons/web/icon.svg. Run by hand when the drawing changes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { inProject } from './setup/project.mjs';

const svg = readFileSync(inProject('assets', 'icons', 'web', 'icon.svg'), 'utf8');
const sizes = [16, 32, 48, 64, 128, 256, 512, 1024];

const browser = await chromium.launch({
  executablePath: process.env.RINGLAB_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
});
/** @type {Map<number, Buffer>} */
const images = new Map();
try {
  const page = await browser.newPage();
  for (const size of sizes) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    );
    images.set(size, await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}

/** Windows: a folder of images, here PNG ones (since Vista). */
function ico(entries) {
  const head = Buffer.alloc(6 + 16 * entries.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(entries.length, 4);
  let offset = head.length;
  for (const [at, { size, png }] of entries.entries()) {
    const row = 6 + 16 * at;
    head.writeUInt8(size % 256, row);
    head.writeUInt8(size % 256, row + 1);
    head.writeUInt16LE(1, row + 4);
    head.writeUInt16LE(32, row + 6);
    head.writeUInt32LE(png.length, row + 8);
    head.writeUInt32LE(offset, row + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...entries.map(({ png }) => png)]);
}

/** macOS: blocks of a four-letter type, a length and a PNG. */
function icns(entries) {
  const blocks = entries.map(({ type, png }) => {
    const head = Buffer.alloc(8);
    head.write(type, 0, 'ascii');
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const head = Buffer.alloc(8);
  head.write('icns', 0, 'ascii');
  head.writeUInt32BE(8 + blocks.reduce((sum, block) => sum + block.length, 0), 4);
  return Buffer.concat([head, ...blocks]);
}

const png = (size) => images.get(size) ?? Buffer.alloc(0);
const folder = inProject('assets', 'icons');
mkdirSync(`${folder}/png`, { recursive: true });
for (const size of [16, 32, 48, 64, 128, 256, 512])
  writeFileSync(`${folder}/png/${size}x${size}.png`, png(size));
writeFileSync(
  `${folder}/icon.ico`,
  ico([16, 32, 48, 64, 128, 256].map((size) => ({ size, png: png(size) }))),
);
writeFileSync(
  `${folder}/icon.icns`,
  icns([
    { type: 'icp4', png: png(16) },
    { type: 'icp5', png: png(32) },
    { type: 'icp6', png: png(64) },
    { type: 'ic07', png: png(128) },
    { type: 'ic08', png: png(256) },
    { type: 'ic09', png: png(512) },
    { type: 'ic10', png: png(1024) },
  ]),
);
