// `graphwright render` as a process: a picture is written, faults are told, nothing half-done is left.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { plainImage, readPixels } from '../support/pixels.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'graphwright.js');
const folder = mkdtempSync(join(tmpdir(), 'graphwright-render-'));
after(() => rmSync(folder, { recursive: true }));

const scene = (elements: readonly object[]) => ({
  fps: 10,
  width: 160,
  height: 90,
  scenes: [{ duration: 2, elements }],
});

function render(graph: object, ...args: readonly string[]) {
  writeFileSync(join(folder, 'scene.json'), JSON.stringify(graph));
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'render', 'scene.json', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, out: stdout, err: stderr };
}

describe('graphwright render', () => {
  it('writes a frame in the format of its ending, with files beside the scene', async () => {
    writeFileSync(join(folder, 'red.png'), await plainImage(8, 8, '#ff0000'));
    const { code, out } = render(
      scene([{ type: 'image', src: './red.png' }]),
      '--frame',
      '3',
      '-o',
      'still.webp',
      '--scale',
      '0.5',
    );
    assert.deepEqual([code, out], [0, 'still.webp: frame 3 of 20, 80 × 45.\n']);
    const pixels = await readPixels(readFileSync(join(folder, 'still.webp')));
    assert.equal(pixels.format, 'webp');
    assert.ok((pixels.at(40, 22)[0] ?? 0) > 240);
  });

  it('warns of what it left out, and reads nothing outside the folder', () => {
    const { code, out, err } = render(
      scene([{ type: 'image', src: './../secret.png' }]),
      '--frame',
      '0',
      '-o',
      'out.png',
      '--json',
    );
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.match(JSON.parse(out).warnings[0], /^\/scenes\/0\/elements\/0 .+outside the folder/);
  });

  it('tells faults by pointer, and ends with 1 without a file', () => {
    const { code, err } = render({ ...scene([]), fps: 0 }, '--frame', '0', '-o', 'bad.png');
    assert.equal(code, 1);
    assert.match(err, /scene\.json#\/fps {2}must be >= 1/);
    assert.equal(existsSync(join(folder, 'bad.png')), false);
  });

  it('says that only frames can be drawn, and which there are, with 2', () => {
    assert.match(render(scene([]), '-o', 'out.mp4').err, /Only single frames can be drawn yet/);
    const beyond = render(scene([]), '--frame', '20');
    assert.deepEqual([beyond.code, /from 0 to 19/.test(beyond.err)], [2, true]);
  });
});
