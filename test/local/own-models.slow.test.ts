// Tests models of the operator: what their descriptions must contain, that files with another hash are refused, the results of each
// task, and the command that adds a model.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { MediaRef } from '../../src/graph/types.ts';
import { readOwnModels } from '../../src/local/own-models.ts';
import { listMissing } from '../../src/local/packages.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { spawnFirst } from '../support/command-line.ts';
import { makeContext } from '../support/engine/node-context.ts';
import {
  buildClassifier,
  buildEndless,
  buildHog,
  buildMean,
  buildUpscaler,
  writeModel,
} from '../support/local/models.ts';
import { plainImage } from '../support/media/pixels.ts';

const skip = listMissing('model').length > 0 && 'ONNX Runtime is not installed';
const folder = await mkdtemp(join(tmpdir(), 'graphwright-own-'));
after(() => rm(folder, { recursive: true }));

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a model with its description. Returns its folder. */
async function writeOwnModel(
  directory: string,
  name: string,
  bytes: Buffer,
  changes: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = join(directory, name);
  await writeModel(join(path, 'model.onnx'), bytes);
  const manifest = {
    title: 'A model',
    runtime: 'onnx',
    files: [{ name: 'model.onnx', sha256: hash(bytes) }],
    task: 'mask',
    license: 'MIT',
    origin: 'https://example.com/model',
    ...changes,
  };
  await writeFile(join(path, 'model.json'), JSON.stringify(manifest));
  return path;
}

describe('the description of a local model', () => {
  const WRONG: readonly (readonly [problem: RegExp, changes: Readonly<Record<string, unknown>>])[] = [
    [/title must be a text/, { title: '' }],
    [/runtime must be "onnx"/, { runtime: 'pytorch' }],
    [/task must be one of upscale, mask, depth, classify/, { task: 'draw' }],
    [/files must be a list/, { files: [] }],
    [/no folder/, { files: [{ name: '../model.onnx', sha256: '0'.repeat(64) }] }],
    [/64 hex digits/, { files: [{ name: 'model.onnx', sha256: 'abc' }] }],
    [/pre\.size must be/, { pre: { size: [0, 320] } }],
    [/pre\.size must be/, { pre: { size: [1e9, 320] } }],
    [/pre\.mean must be three numbers/, { pre: { mean: [0] } }],
    [/pre\.std must be three numbers/, { pre: { std: [0, 0, 0] } }],
    [/post\.scale must be/, { task: 'upscale' }],
    [/post\.labels must be/, { task: 'classify' }],
    [/license must be a text/, { license: undefined }],
    [/origin must be an http or https URL/, { origin: 'javascript:alert(1)' }],
  ];
  for (const [index, [problem, changes]] of WRONG.entries())
    it(`is left out if ${problem.source}: ${JSON.stringify(changes).slice(0, 40)}`, async () => {
      const directory = join(folder, `wrong-${index}`);
      await writeOwnModel(directory, 'model', Buffer.from('x'), changes);
      const { models, problems } = readOwnModels(directory);
      assert.deepEqual(models, []);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
    });

  it('is left out if it is no JSON, too large, or its folder has a wrong name', async () => {
    const directory = join(folder, 'unreadable');
    await writeOwnModel(directory, 'good', Buffer.from('x'), {});
    await writeOwnModel(directory, 'Not a name', Buffer.from('x'), {});
    await writeOwnModel(directory, 'large', Buffer.from('x'), { title: 'x'.repeat(1_100_000) });
    await mkdir(join(directory, 'no-json'));
    await writeFile(join(directory, 'no-json/model.json'), '{');
    await mkdir(join(directory, 'other'));
    const { models, problems } = readOwnModels(directory);
    assert.deepEqual(
      models.map(({ name }) => name),
      ['good'],
    );
    assert.equal(problems.length, 3, problems.join('\n'));
  });

  it('needs no folder', () => {
    assert.deepEqual(readOwnModels(undefined), { models: [], problems: [] });
    const { problems } = readOwnModels(join(folder, 'does-not-exist'));
    assert.match(problems.join(), /LOCAL_MODELS_DIR cannot be read/);
  });
});

describe('a local model', { skip }, () => {
  const directory = join(folder, 'models');
  const base = makeContext();
  const settings = {
    ...base.settings,
    DATA_DIR: folder,
    LOCAL_MODELS_DIR: directory,
    LOCAL_TIMEOUT_MS: 60_000,
    LOCAL_MEMORY_MB: 600,
  };
  const ctx = { ...base, settings };
  before(async () => {
    await writeOwnModel(directory, 'twice', buildUpscaler(), {
      task: 'upscale',
      post: { scale: 2 },
      title: 'Twice as large',
    });
    await writeOwnModel(directory, 'three-times', buildUpscaler(), { task: 'upscale', post: { scale: 3 } });
    await writeOwnModel(directory, 'bright', buildMean(), { pre: { size: [32, 32] } });
    await writeOwnModel(directory, 'depth', buildMean(), {
      task: 'depth',
      pre: { size: [32, 16], mean: [5, 5, 5] },
    });
    const labels = ['red', 'green', 'blue'];
    await writeOwnModel(directory, 'color', buildClassifier(), { task: 'classify', post: { labels } });
    await writeOwnModel(directory, 'two-labels', buildClassifier(), {
      task: 'classify',
      post: { labels: ['a', 'b'] },
    });
    await writeOwnModel(directory, 'changed', buildMean(), {
      files: [{ name: 'model.onnx', sha256: '0'.repeat(64) }],
    });
    await writeOwnModel(directory, 'missing', buildMean(), {
      files: [{ name: 'other.onnx', sha256: '0'.repeat(64) }],
    });
    await writeOwnModel(directory, 'broken', Buffer.from('no model'), {});
    await writeOwnModel(directory, 'no-mask', buildClassifier(), {});
    await writeOwnModel(directory, 'hog', buildHog(), {});
    await writeOwnModel(directory, 'endless', buildEndless(), {});
  });

  const run = async (name: string, bytes: Buffer, context = ctx) => {
    const { findNode } = createNodeTypes({ ...settings, SANDBOX_MODELS: true });
    const definition = findNode(`edit:local_${name}`);
    assert.ok(definition, name);
    return (await definition.run({ image: await base.upload(bytes, 'image/png') }, context)) as Readonly<
      Record<string, unknown>
    >;
  };
  const bytesOf = (ref: unknown): Buffer => base.bytesOf(ref as MediaRef);

  it('is a node with its license and origin', () => {
    const { catalog } = createNodeTypes({ ...settings, SANDBOX_MODELS: true });
    const entry = catalog.find('edit:local_twice');
    assert.deepEqual(
      [entry?.label, entry?.runsLocally, entry?.license, entry?.origin, entry?.task, entry?.hidden],
      ['Twice as large', true, 'MIT', 'https://example.com/model', 'upscale', undefined],
    );
    assert.equal(
      createNodeTypes({ ...settings, SANDBOX_MODELS: true, LOCAL_NODES: 'off' }).catalog.find(
        'edit:local_twice',
      )?.hidden,
      true,
    );
  });

  it('enlarges images', async () => {
    const { image } = await run('twice', await plainImage(300, 20, '#336699'));
    const { data, info } = await sharp(bytesOf(image))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [600, 40]);
    assert.deepEqual([...data.subarray(0, 3), ...data.subarray(-3)], [0x33, 0x66, 0x99, 0x33, 0x66, 0x99]);
    await assert.rejects(run('three-times', await plainImage(8, 8, '#336699')), {
      code: 'local_model_invalid',
      message: /instead of 1 × 3 × 24 × 24/,
    });
  });

  it('makes masks', async () => {
    const picture = await sharp(await plainImage(64, 64, '#000000'))
      .composite([{ input: await plainImage(32, 64, '#ffffff'), left: 0, top: 0 }])
      .png()
      .toBuffer();
    const { image, mask } = await run('bright', picture);
    const { data, info } = await sharp(bytesOf(image)).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height, info.channels], [64, 64, 4]);
    assert.equal(data[4 * (32 * 64 + 10) + 3], 255);
    assert.equal(data[4 * (32 * 64 + 54) + 3], 0);
    assert.equal((mask as MediaRef).contentType, 'image/png');
  });

  it('draws depth in the size of the image', async () => {
    const picture = await sharp(await plainImage(80, 40, '#101010'))
      .composite([{ input: await plainImage(40, 40, '#404040'), left: 0, top: 0 }])
      .png()
      .toBuffer();
    const { data, info } = await sharp(bytesOf((await run('depth', picture)).image))
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [80, 40]);
    const [near = 0, far = 255] = [data[info.channels * 5], data[info.channels * 75]];
    assert.ok(near > 240 && far < 15, `${near}, ${far}`);
  });

  it('classifies', async () => {
    const { label, labels } = await run('color', await plainImage(8, 8, '#0000ff'));
    assert.equal(label, 'blue');
    assert.deepEqual((labels as readonly { label: string; score: number }[])[0], { label: 'blue', score: 1 });
  });

  const INVALID: Readonly<Record<string, RegExp>> = {
    'two-labels': /3 classes, but model.json has 2 labels/,
    changed: /has the hash [0-9a-f]{64} instead of 0{64}/,
    missing: /other\.onnx does not exist/,
    broken: /cannot be loaded/,
    'no-mask': /instead of one value for each pixel/,
  };
  for (const [name, message] of Object.entries(INVALID))
    it(`fails with local_model_invalid: ${message.source}`, async () => {
      await assert.rejects(run(name, await plainImage(8, 8, '#0000ff')), {
        code: 'local_model_invalid',
        message,
      });
    });

  it('is stopped if it allocates 10 GB or never ends', async () => {
    const picture = await plainImage(8, 8, '#0000ff');
    await assert.rejects(run('hog', picture), { code: 'local_out_of_memory' });
    const hurried = { ...ctx, settings: { ...settings, LOCAL_TIMEOUT_MS: 1000 } };
    await assert.rejects(run('endless', picture, hurried), { code: 'local_timed_out' });
    assert.equal((await run('color', picture)).label, 'blue');
  });
});

describe('graphwright models add local:FOLDER', { skip }, () => {
  const target = join(folder, 'installed');
  const env = { LOCAL_MODELS_DIR: target, DATA_DIR: folder };

  it('checks a model, and copies only its files', async () => {
    const source = await writeOwnModel(join(folder, 'source'), 'mean', buildMean(), {});
    await writeFile(join(source, 'notes.txt'), 'not copied');
    const { code, out, err } = await spawnFirst(['models', 'add', `local:${source}`], env);
    assert.equal(code, 0, err);
    assert.match(out, /edit:local_mean was added to .*installed\. Restart the service to use it\./);
    assert.deepEqual((await readdir(join(target, 'mean'))).sort(), ['model.json', 'model.onnx']);
    assert.deepEqual(await readdir(target), ['mean']);
  });

  it('refuses a model that cannot be used', async () => {
    const source = await writeOwnModel(join(folder, 'source'), 'no-model', Buffer.from('x'), {});
    const { code, err } = await spawnFirst(['models', 'add', `local:${source}`], env);
    assert.equal(code, 1);
    assert.match(err, /cannot be loaded/);
    assert.deepEqual(await readdir(target), ['mean']);
    const unset = await spawnFirst(['models', 'add', `local:${source}`], { DATA_DIR: folder });
    assert.match(unset.err, /Set LOCAL_MODELS_DIR/);
  });
});
