// Reads workflow templates from folders: those shipped with the service, and the operator's. Each folder contains
// template.json, card.webp and sample/, as docs/templates.md describes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Graph, MediaRef } from '../../graph/types.ts';
import { sha256Hex } from '../../lib/crypto.ts';
import { toError } from '../../lib/errors.ts';
import { findSchemaErrors } from '../../lib/schema-check.ts';
import { Exact, Nullable } from '../../services/schema.ts';

/** The sections of the template gallery, in order. */
export const SHELVES = ['verbs', 'ads', 'video', 'text-and-sound'] as const;
export type Shelf = (typeof SHELVES)[number];

const MAX_TEMPLATES = 500;
const MAX_TEXT_BYTES = 1_048_576;
export const MAX_CARD_BYTES = 40 * 1024;
export const MAX_SAMPLE_BYTES = 400 * 1024;

const SampleFile = Exact({
  contentType: Type.String({ maxLength: 100 }),
  bytes: Type.Integer({ minimum: 1, maximum: MAX_SAMPLE_BYTES }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  width: Nullable(Type.Integer({ minimum: 1 })),
  height: Nullable(Type.Integer({ minimum: 1 })),
  duration: Nullable(Type.Number({ minimum: 0 })),
});
/** A file of a template: its card, or a recorded result. */
export type SampleFile = Static<typeof SampleFile>;

/** The content of sample/results.json. In the outputs, `{ "file": NAME }` replaces a media reference. */
const Sample = Exact({
  files: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,79}$' }), SampleFile),
  outputs: Type.Record(Type.String({ maxLength: 200 }), Type.Record(Type.String(), Type.Object({}))),
});
export type Sample = Static<typeof Sample>;

const TemplateFile = Exact({
  title: Type.String({ minLength: 1, maxLength: 80 }),
  description: Type.String({ minLength: 1, maxLength: 300 }),
  shelf: Type.Enum(SHELVES),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 10 }),
  workflow: Exact({ nodes: Type.Array(Type.Object({})), edges: Type.Array(Type.Object({})) }),
  /** Node id → the source of the node's recorded result. */
  sources: Type.Record(Type.String(), Type.String({ maxLength: 300 })),
});

export interface ShippedTemplate {
  readonly slug: string;
  /** `tpl_<slug>` */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly shelf: Shelf;
  readonly tags: readonly string[];
  /** The graph, with `sample:NAME` in configs instead of the URLs of sample files. */
  readonly graph: Graph;
  /** Returns the graph with the URLs of the sample files. */
  resolveGraph(getUrl: (name: string) => string | undefined): Graph;
  readonly sources: Readonly<Record<string, string>>;
  readonly sample: Sample | undefined;
  /** The folder that card.webp and sample/ are in. */
  readonly folder: string;
  readonly card: SampleFile;
  /** The card and the sample files, by path in the folder. */
  readonly files: ReadonlyMap<string, SampleFile>;
}

export interface TemplateFolder {
  readonly templates: readonly ShippedTemplate[];
  /** A sentence for each folder that is ignored. */
  readonly problems: readonly string[];
}

/** Reads the templates of the folder, ordered by name. Skips damaged templates and names them in `problems`. */
export function readTemplateFolder(folder: string): TemplateFolder {
  const templates: ShippedTemplate[] = [];
  const problems: string[] = [];
  let slugs: readonly string[] = [];
  try {
    slugs = readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name)
      .sort();
  } catch (err) {
    problems.push(`Can't read the workflow templates in ${folder}: ${toError(err).message}`);
  }
  if (slugs.length > MAX_TEMPLATES)
    problems.push(`${folder} contains more than ${MAX_TEMPLATES} templates. The others are ignored.`);
  for (const slug of slugs.slice(0, MAX_TEMPLATES)) {
    try {
      templates.push(readTemplate(join(folder, slug), slug));
    } catch (err) {
      problems.push(
        `The workflow template ${join(folder, slug)} is ignored: ${toError(err).message.slice(0, 500)}`,
      );
    }
  }
  return { templates, problems };
}

function readTemplate(folder: string, slug: string): ShippedTemplate {
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(slug))
    throw new Error('The folder name may contain only lowercase letters, digits and hyphens.');
  const { workflow, ...properties } = readJson(join(folder, 'template.json'), TemplateFile);
  const card = readCard(join(folder, CARD_PATH));
  const sample = readSample(folder, workflow.nodes as readonly { readonly id?: unknown }[]);
  return {
    slug,
    id: `tpl_${slug}`,
    ...properties,
    // The graph is checked when the template is copied. A test lints the graphs of shipped templates.
    graph: workflow as unknown as Graph,
    resolveGraph: getUrl => replaceFileNames(workflow as unknown as Graph, getUrl),
    sample,
    folder,
    card,
    files: new Map([
      [CARD_PATH, card],
      ...Object.entries(sample?.files ?? {}).map(([name, file]) => [getSamplePath(name), file] as const),
    ]),
  };
}

export const CARD_PATH = 'card.webp';
/** Returns the path of a sample file in the template's folder. */
export const getSamplePath = (name: string): string => `sample/${name}`;

function readCard(path: string): SampleFile {
  const bytes = readFileSync(path);
  if (bytes.length > MAX_CARD_BYTES) throw new Error(`card.webp is larger than ${MAX_CARD_BYTES} bytes.`);
  return {
    contentType: 'image/webp',
    bytes: bytes.length,
    sha256: sha256Hex(bytes),
    width: 640,
    height: 360,
    duration: null,
  };
}

function replaceFileNames(graph: Graph, getUrl: (name: string) => string | undefined): Graph {
  const text = JSON.stringify(graph).replace(/"sample:([a-z0-9._-]+)"/g, (_, name: string) =>
    JSON.stringify(getUrl(name) ?? ''),
  );
  return JSON.parse(text) as Graph;
}

function readSample(folder: string, nodes: readonly { readonly id?: unknown }[]): Sample | undefined {
  const path = join(folder, 'sample', 'results.json');
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const sample = readJson(path, Sample);
  let bytes = 0;
  for (const [name, file] of Object.entries(sample.files)) {
    const { size } = statSync(join(folder, 'sample', name));
    if (size !== file.bytes) throw new Error(`sample/${name} has ${size} bytes, not ${file.bytes}.`);
    bytes += size;
  }
  if (bytes > MAX_SAMPLE_BYTES) throw new Error(`The sample is larger than ${MAX_SAMPLE_BYTES} bytes.`);
  const ids = new Set(nodes.map(({ id }) => id));
  const unknownId = Object.keys(sample.outputs).find(id => !ids.has(id));
  if (unknownId !== undefined) throw new Error(`The sample names ${unknownId}, which is not a node.`);
  resolveOutputs(sample.outputs, name => {
    if (!Object.hasOwn(sample.files, name))
      throw new Error(`The sample names the file ${name}, which is not listed.`);
    return {} as MediaRef;
  });
  return sample;
}

function readJson<T extends typeof Sample | typeof TemplateFile>(path: string, schema: T): Static<T> {
  if (statSync(path).size > MAX_TEXT_BYTES) throw new Error(`${path} has over ${MAX_TEXT_BYTES} bytes.`);
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const [error] = findSchemaErrors(schema, value);
  if (error !== undefined)
    throw new Error(`${path}: the value at ${error.instancePath || '/'} ${error.message ?? 'is invalid'}.`);
  return value as Static<T>;
}

/** Replaces each `{ "file": NAME }` in recorded outputs with the media reference that `find` returns. */
export function resolveOutputs<T>(outputs: T, find: (name: string) => MediaRef): T {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { type, media } = value as {
      readonly type?: unknown;
      readonly media?: { readonly file?: unknown };
    };
    const isMedia = type === 'IMAGE' || type === 'VIDEO' || type === 'AUDIO';
    if (isMedia) return { type, media: find(String(media?.file)) };
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
  };
  return resolve(outputs) as T;
}
