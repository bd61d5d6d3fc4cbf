// Finds the packages that local nodes use. They are optional: an install may leave them out.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The packages of each kind of work. `scripts/trim-install.js` keeps only the files that the work reads. */
const PACKAGES = {
  upscale: ['onnxruntime-node', '@upscalerjs/esrgan-slim', '@upscalerjs/esrgan-thick'],
  cutout: ['onnxruntime-node', '@mediapipe/selfie_segmentation'],
  faces: ['onnxruntime-node', '@vladmandic/human'],
  ocr: ['tesseract.js-core', '@tesseract.js-data/eng'],
  speech: ['onnxruntime-node', '@ricky0123/vad-web', '@shiguredo/rnnoise-wasm'],
  vectorize: ['@neplex/vectorizer'],
  language: ['eld'],
  model: ['onnxruntime-node'],
} as const;

/** A kind of work that needs packages. */
export type LocalFeature = keyof typeof PACKAGES;

export const LOCAL_FEATURES = Object.keys(PACKAGES) as readonly LocalFeature[];

const folders = new Map<string, string | undefined>();

/** Returns the folder of a package, or undefined if it is not installed. */
export function findPackage(name: string): string | undefined {
  if (!folders.has(name)) folders.set(name, searchPackage(name, import.meta.dirname));
  return folders.get(name);
}

function searchPackage(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : searchPackage(name, dirname(from));
}

/** Returns the folder of a package that a feature uses. Throws if it is not installed. */
export function getPackage(name: string): string {
  const folder = findPackage(name);
  if (folder === undefined) throw new Error(`The package ${name} is not installed.`);
  return folder;
}

/** Returns `name@version`. */
export function readPackageId(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  return `${name}@${version}`;
}

/** Returns the packages of the feature that are not installed. */
export const listMissing = (feature: LocalFeature): readonly string[] =>
  PACKAGES[feature].filter(name => findPackage(name) === undefined);

/** Returns the folders that processes read: those of the packages, and of what the packages load. */
export function listPackageFolders(): readonly string[] {
  const names = new Set<string>([...Object.values(PACKAGES).flat(), 'onnxruntime-common']);
  const languages = listOcrLanguages().map(language => `${LANGUAGE_PACKAGE}/${language}`);
  const folders = [...names, ...languages].flatMap(name => findPackage(name) ?? []);
  // The vectorizer has a package for each platform next to its own.
  const vectorizer = findPackage('@neplex/vectorizer');
  return [...new Set(vectorizer === undefined ? folders : [...folders, dirname(vectorizer)])];
}

const LANGUAGE_PACKAGE = '@tesseract.js-data';

/** The languages of Tesseract for which there may be a package, by their names in it. */
const OCR_LANGUAGES = [
  'eng',
  'ara',
  'bul',
  'ces',
  'chi_sim',
  'chi_tra',
  'dan',
  'deu',
  'ell',
  'fin',
  'fra',
  'heb',
  'hin',
  'hun',
  'ind',
  'ita',
  'jpn',
  'kor',
  'nld',
  'nor',
  'pol',
  'por',
  'ron',
  'rus',
  'spa',
  'swe',
  'tha',
  'tur',
  'ukr',
  'vie',
] as const;

/** Returns the languages that are installed, English first. */
export const listOcrLanguages = (): readonly string[] =>
  OCR_LANGUAGES.filter(language => findPackage(`${LANGUAGE_PACKAGE}/${language}`) !== undefined);

/** Returns the file with the data of a language, compressed with gzip. */
export function findOcrData(language: string): string | undefined {
  const folder = findPackage(`${LANGUAGE_PACKAGE}/${language}`);
  if (folder === undefined) return undefined;
  return ['4.0.0_best_int', '4.0.0']
    .map(version => join(folder, version, `${language}.traineddata.gz`))
    .find(file => existsSync(file));
}
