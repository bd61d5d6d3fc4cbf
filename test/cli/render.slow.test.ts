// Tests the files and errors of `graphwright render` and `graphwright preview`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type CommandResult, spawnFirst } from '../support/command-line.ts';
import { plainImage, readPixels } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'graphwright.js');
const folder = mkdtempSync(join(tmpdir(), 'graphwright-render-'));
after(() => rmSync(folder, { recursive: true }));

const scene = (elements: readonly object[]) => ({
  fps: 10,
  width: 160,
  height: 90,
  scenes: [{ duration: 2, elements }],
});

const inFolder = (name: string): string => join(folder, name);

function render(graph: object, ...args: readonly string[]): Promise<CommandResult> {
  const file = inFolder('scene.json');
  writeFileSync(file, JSON.stringify(graph));
  return spawnFirst(['render', file, ...args]);
}

describe('graphwright render', () => {
  it('writes a frame in the format of the file extension', async () => {
    writeFileSync(join(folder, 'red.png'), await plainImage(8, 8, '#ff0000'));
    const { code, out } = await render(
      scene([{ type: 'image', src: './red.png' }]),
      '--frame',
      '3',
      '-o',
      inFolder('still.webp'),
      '--scale',
      '0.5',
    );
    assert.deepEqual([code, out], [0, `${inFolder('still.webp')}: frame 3 of 20, 80 × 45.\n`]);
    const pixels = await readPixels(readFileSync(inFolder('still.webp')));
    assert.equal(pixels.format, 'webp');
    assert.ok((pixels.at(40, 22)[0] ?? 0) > 240);
  });

  it('warns of a file outside the folder and does not read the file', async () => {
    const { code, out, err } = await render(
      scene([{ type: 'image', src: './../secret.png' }]),
      '--frame',
      '0',
      '-o',
      inFolder('out.png'),
      '--json',
    );
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.match(JSON.parse(out).warnings[0], /^\/scenes\/0\/elements\/0 .+outside the folder/);
  });

  it('reports errors by JSON pointer with exit code 1 and writes no file', async () => {
    const { code, err } = await render({ ...scene([]), fps: 0 }, '--frame', '0', '-o', inFolder('bad.png'));
    assert.equal(code, 1);
    assert.match(err, /scene\.json#\/fps {2}must be >= 1/);
    assert.equal(existsSync(inFolder('bad.png')), false);
  });

  it('reports invalid options with exit code 2', async () => {
    assert.match((await render(scene([]), '-o', 'out.gif')).err, /Use an output file ending in \.mp4/);
    assert.match((await render(scene([]), '--range', '5-3')).err, /--range must be two frames such as 0-20/);
    assert.match((await render(scene([]), '--template', 'quote-card')).err, /not both/);
    const result = await render(scene([]), '--frame', '20');
    assert.deepEqual([result.code, /from 0 to 19/.test(result.err)], [2, true]);
  });

  it('renders a range of frames as a video and a template with props', async () => {
    const video = inFolder('out.mp4');
    const text = scene([{ type: 'text', text: 'Hi' }]);
    const { code, out, err } = await render(text, '--range', '4-12', '-o', video, '--json');
    assert.equal(code, 0, err);
    const { warnings, frameCount, width, height } = JSON.parse(out);
    assert.deepEqual([warnings, frameCount, width, height], [[], 8, 160, 90]);
    assert.ok(existsSync(video));
    writeFileSync(inFolder('props.json'), JSON.stringify({ quote: 'Ship it.' }));
    const still = inFolder('template.png');
    const template = ['--template', 'quote-card', '--props', inFolder('props.json')];
    const result = await spawnFirst([
      'render',
      ...template,
      ...['--frame', '40', '--scale', '0.1', '-o', still],
    ]);
    assert.equal(result.code, 0, result.err);
    assert.ok(result.out.startsWith(`${still}: frame 40`), result.out);
  });
});

describe('graphwright preview', () => {
  it('writes one frame to a PNG file', async () => {
    const file = join(folder, 'one.json');
    writeFileSync(file, JSON.stringify(scene([])));
    const still = join(folder, 'still.png');
    const { code, out, err } = await spawnFirst(['preview', file, '-o', still]);
    assert.equal(code, 0, err);
    assert.ok(out.includes(`${still} in `), out);
    assert.ok((await readPixels(readFileSync(still))).at(0, 0).length > 0);
    const twoFrames = await spawnFirst(['preview', file, '--frames', '0,5', '-o', still]);
    assert.deepEqual(
      [twoFrames.code, /takes a single frame; use a folder for 2 frames\./.test(twoFrames.err)],
      [2, true],
    );
    const jpeg = await spawnFirst(['preview', file, '-o', join(folder, 'still.jpg')]);
    assert.deepEqual([jpeg.code, /preview writes PNG files/.test(jpeg.err)], [2, true]);
  });

  it('redraws and reports errors when the file changes with --watch', async () => {
    const file = join(folder, 'watched.json');
    writeFileSync(file, JSON.stringify(scene([])));
    const args = [BIN, 'preview', '--watch', 'watched.json', '--frames', '0,5', '-o', 'stills'];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', data => (out += String(data)));
    child.stderr.on('data', data => (err += String(data)));
    const picture = join(folder, 'stills', 'frame-000005.png');
    try {
      // The first stills are about to be written. The command must notice every change from now on.
      await waitUntil('the first stills', () => existsSync(join(folder, 'stills')));
      writeFileSync(file, JSON.stringify({ ...scene([]), fps: -1 }));
      await waitUntil('the error', () => err.includes('watched.json#/fps'));
      assert.match(err, /^Watching watched\.json/);
      writeFileSync(file, JSON.stringify({ ...scene([]), background: '#ff0000' }));
      await waitUntil('the second stills', () => out.trim().split('\n').length >= 2);
      assert.ok((await readPixels(readFileSync(picture))).at(10, 10)[0] === 255);
      child.kill('SIGINT');
      await waitUntil('the end', () => child.exitCode !== null || child.signalCode !== null);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
