// Reads the models of the operator: folders with a `model.json` and the files that it names. The files are compared with their
// hashes before they are first used.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readFileChunks } from '../lib/files.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { isRecord } from '../lib/record.ts';
import type { Preparation } from './tasks.ts';

const OWN_TASKS = ['upscale', 'mask', 'depth', 'classify'] as const;
export type OwnTask = (typeof OWN_TASKS)[number];

export interface OwnModel {
  /** The name of the folder. */
  readonly name: string;
  readonly folder: string;
  readonly title: string;
  readonly task: OwnTask;
  /** The first is the model, the others are its weights. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
  readonly preparation: Preparation;
  /** The size to which images are scaled. Default: their own. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** How many times larger the result of `upscale` is. */
  readonly scale: number;
  readonly labels: readonly string[];
  readonly license: string;
  readonly origin: string;
  /** Changes with the description and the files, so that results of an earlier model are not reused. */
  readonly version: number;
}

const MANIFEST = 'model.json';
const MAX_MANIFEST_BYTES = 1_000_000;
const MAX_MODELS = 100;
const MAX_FILES = 10;
const MAX_LABELS = 10_000;
const [MIN_SIZE, MAX_SIZE] = [8, 4096];
const MAX_SCALE = 8;
const FOLDER_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export interface OwnModels {
  readonly models: readonly OwnModel[];
  /** Sentences about folders that were left out. */
  readonly problems: readonly string[];
}

/** Reads the folders of LOCAL_MODELS_DIR. Leaves out those that are wrong. */
export function readOwnModels(directory: string | undefined): OwnModels {
  if (directory === undefined) return { models: [], problems: [] };
  const models: OwnModel[] = [];
  const problems: string[] = [];
  for (const folder of listFolders(directory, problems))
    try {
      models.push(readOwnModel(folder));
    } catch (err) {
      problems.push(`The local model ${basename(folder)} is left out: ${(err as Error).message}.`);
    }
  return { models, problems };
}

function listFolders(directory: string, problems: string[]): readonly string[] {
  try {
    const names = readdirSync(directory).sort();
    const folders = names
      .map(name => join(directory, name))
      .filter(folder => existsSync(join(folder, MANIFEST)));
    if (folders.length > MAX_MODELS)
      problems.push(`LOCAL_MODELS_DIR has ${folders.length} models. Only ${MAX_MODELS} are used.`);
    return folders.slice(0, MAX_MODELS);
  } catch (err) {
    problems.push(`LOCAL_MODELS_DIR cannot be read: ${(err as Error).message}.`);
    return [];
  }
}

/** Reads the description of a model. Throws an error that says what is wrong with it. */
export function readOwnModel(folder: string): OwnModel {
  const name = basename(folder);
  if (!FOLDER_NAME.test(name))
    throw new Error('the name of the folder must have 1 to 40 lowercase letters, digits, - and _');
  const path = join(folder, MANIFEST);
  if (statSync(path).size > MAX_MANIFEST_BYTES) throw new Error(`${MANIFEST} is larger than 1 MB`);
  const text = readFileSync(path, 'utf8');
  const manifest = parseManifest(text);
  const { pre = {}, post = {} } = manifest;
  if (!isRecord(pre) || !isRecord(post)) throw new Error('pre and post must be objects');
  if (manifest.runtime !== 'onnx') throw new Error('runtime must be "onnx"');
  const task = OWN_TASKS.find(known => known === manifest.task);
  if (task === undefined) throw new Error(`task must be one of ${OWN_TASKS.join(', ')}`);
  return {
    name,
    folder,
    title: readText(manifest.title, 'title', 100),
    task,
    files: readFiles(manifest.files),
    preparation: {
      mean: readThree(pre.mean ?? [0, 0, 0], 'pre.mean'),
      std: readThree(pre.std ?? [1, 1, 1], 'pre.std', value => value > 0),
    },
    size: pre.size === undefined ? undefined : readSize(pre.size),
    scale: task === 'upscale' ? readScale(post.scale) : 1,
    labels: task === 'classify' ? readLabels(post.labels) : [],
    license: readText(manifest.license, 'license', 100),
    origin: readUrl(manifest.origin),
    version: createHash('sha256').update(text).digest().readUInt32LE(),
  };
}

function parseManifest(text: string): Readonly<Record<string, unknown>> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new Error(`${MANIFEST} is not valid JSON`);
  }
  if (!isRecord(manifest)) throw new Error(`${MANIFEST} must be an object`);
  return manifest;
}

function readText(value: unknown, name: string, maxLength: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxLength) return value;
  throw new Error(`${name} must be a text of at most ${maxLength} characters`);
}

function readUrl(value: unknown): string {
  const text = readText(value, 'origin', 500);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error('origin must be an http or https URL');
}

function readFiles(value: unknown): OwnModel['files'] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_FILES)
    throw new Error(`files must be a list of 1 to ${MAX_FILES} files`);
  return value.map((file: unknown) => {
    if (!isRecord(file)) throw new Error('each of files must be an object with name and sha256');
    const { name, sha256 } = file;
    if (typeof name !== 'string' || !FILE_NAME.test(name))
      throw new Error('the name of a file must have letters, digits, dots, - and _, and no folder');
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256))
      throw new Error(`the sha256 of ${name} must have 64 hex digits`);
    return { name, sha256: sha256.toLowerCase() };
  });
}

function readThree(value: unknown, name: string, isValid = (_: number): boolean => true): readonly number[] {
  const isThree =
    Array.isArray(value) &&
    value.length === 3 &&
    value.every(part => typeof part === 'number' && Number.isFinite(part) && isValid(part));
  if (isThree) return value as readonly number[];
  throw new Error(`${name} must be three numbers, for red, green and blue`);
}

function readSize(value: unknown): { readonly width: number; readonly height: number } {
  const isSize =
    Array.isArray(value) &&
    value.length === 2 &&
    value.every(side => Number.isInteger(side) && side >= MIN_SIZE && side <= MAX_SIZE);
  if (!isSize) throw new Error(`pre.size must be a width and a height from ${MIN_SIZE} to ${MAX_SIZE}`);
  const [width = MIN_SIZE, height = MIN_SIZE] = value as readonly number[];
  return { width, height };
}

function readScale(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SCALE) return value;
  throw new Error(`post.scale must be a whole number from 1 to ${MAX_SCALE}`);
}

function readLabels(value: unknown): readonly string[] {
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_LABELS &&
    value.every(label => typeof label === 'string' && label.length <= 200);
  if (isList) return value as readonly string[];
  throw new Error(`post.labels must be a list of 1 to ${MAX_LABELS} texts`);
}

/** The results of comparing files, by their path, size, time and hash. */
const checks = new Map<string, Promise<string | undefined>>();

/** Returns a sentence that says which file is missing or has another hash, or undefined if all are right. */
export async function findFileProblem({ folder, files }: OwnModel): Promise<string | undefined> {
  for (const { name, sha256 } of files) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info === undefined || !info.isFile()) return `The file ${name} does not exist.`;
    const key = `${path} ${info.size} ${info.mtimeMs} ${sha256}`;
    const problem = await getOrCreate(checks, key, () => compareHash(path, name, sha256));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function compareHash(path: string, name: string, sha256: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  for await (const chunk of readFileChunks(path)) hash.update(chunk);
  const actual = hash.digest('hex');
  return actual === sha256 ? undefined : `The file ${name} has the hash ${actual} instead of ${sha256}.`;
}
