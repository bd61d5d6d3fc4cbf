// Removes files from node_modules that are never used. npm runs this script after each install with the installed Node, so
// it is plain JavaScript for Node 20 and later.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';

const MODULES = join(import.meta.dirname, '../node_modules');

/** Patterns of unused paths, by folder. */
const UNUSED_PATHS = {
  // Headers for compiling C++ against Node: 67 MB. Nothing is compiled here.
  node: /^node_modules\/[^/]+\/include$/,
  // Fonts in an older format, a second copy of the emoji in ten parts, and style sheets. Only woff2 files are used.
  '@fontsource': /(?:\.woff|noto-color-emoji-\d+-[^/]*|\.css|\.scss)$/,
  '@fontsource-variable': /(?:\.woff|\.css|\.scss|-(?:full|standard|wdth|opsz|slnt)-[^/]*)$/,
  // Tests, and builds for other kinds of modules.
  bintrees: /^test\//,
  fastify: /^test\//,
  mediabunny: /^dist\/bundles\//,
  nodemailer: /^dist\/cjs\//,
  // Source maps of all packages.
  '': /\.map$/,
};

/** The packages of the nodes that run on this machine, with patterns of their used files. Paths have forward slashes. */
const LOCAL_PACKAGES = {
  '@mediapipe/selfie_segmentation': /selfie_segmentation\.tflite$/,
  // The vectorizer has a package for each platform.
  '@neplex': /\.(?:js|node)$/,
  '@ricky0123/vad-web': /silero_vad_v6\.onnx$/,
  '@shiguredo/rnnoise-wasm': /rnnoise\.js$/,
  // Dependencies of packages of which only the models are read. `overrides` in package.json replaces them by small ones.
  '@tensorflow/tfjs': /^$/,
  'onnxruntime-web': /^$/,
  // Integers give nearly the same text as 32-bit floats, in a third of the time.
  '@tesseract.js-data': /4\.0\.0_best_int/,
  '@upscalerjs/esrgan-slim': /^models\/x[24]\//,
  '@upscalerjs/esrgan-thick': /^models\/x4\//,
  // Tests look for faces in the picture.
  '@vladmandic/human': /^(?:models\/blazeface\.|assets\/samples\.jpg)/,
  eld: /^src\/(?:ngrams\/large|entries\/static\.large|[^/]+)\.js$/,
  'onnxruntime-common': /^dist\/(?:cjs|esm)\/(?!.*\.map$)/,
  // Without libraries for graphics cards, which its install script downloads if the npm runs install scripts.
  'onnxruntime-node': new RegExp(
    `^(?:dist/|bin/napi-v\\d+/${process.platform}/${process.arch}/(?:onnxruntime_binding|(?:lib)?onnxruntime\\.))(?!.*\\.map$)`,
  ),
  'tesseract.js-core': /relaxedsimd-lstm\.(?:js|wasm)$/,
};
/** Files that every package keeps. */
const ALWAYS_USED = /(?:^|\/)(?:package\.json|licen[cs]e[^/]*|notice[^/]*)$/i;

for (const [name, pattern] of Object.entries(UNUSED_PATHS)) removePaths(name, path => pattern.test(path));

// Leaving out optional dependencies with npm would also leave out PostgreSQL.
const isLocalOff = process.env.LOCAL_NODES === 'off';
for (const [name, pattern] of Object.entries(LOCAL_PACKAGES)) {
  if (isLocalOff) rmSync(join(MODULES, name), { recursive: true, force: true });
  else removePaths(name, path => !pattern.test(path) && !ALWAYS_USED.test(path), isFile);
}

function removePaths(name, isUnused, isCandidate = () => true) {
  const folder = join(MODULES, name);
  if (!existsSync(folder)) return;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path);
    if (isUnused(path.replaceAll(sep, '/')) && isCandidate(file))
      rmSync(file, { recursive: true, force: true });
  }
}

function isFile(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
