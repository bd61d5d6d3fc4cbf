// Reads a file of another program, and builds the board of the workflow that it becomes.
import type { Catalog } from '../../graph/catalog.ts';
import { createComfyBoard } from '../../graph/comfyui/board.ts';
import { ComfyFormatError } from '../../graph/comfyui/format-error.ts';
import { parsePythonJson, readComfyFile } from '../../graph/comfyui/read-file.ts';
import { createFalBoard } from '../../graph/fal/board.ts';
import { readFalWorkflow } from '../../graph/fal/read-workflow.ts';
import type { ImportedNode } from '../../graph/imports/board-parts.ts';
import { isObject, type JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { findShapeProblem } from '../../lib/json-shape.ts';
import { getCatalogOrigin } from '../../nodes/catalog.ts';
import { comfyNodeTypes, readPartnerTable } from '../../nodes/comfyui/node-types.ts';
import { createFalTypes } from '../../nodes/models/fal-types.ts';
import type { ImportFormat } from './import-formats.ts';

export interface ReadImport {
  readonly format: Exclude<ImportFormat, 'graphwright'>;
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly lines: readonly ImportedNode[];
}

/** The result for a file of this service, which is imported with its components and media. */
export interface OwnFile {
  readonly format: 'graphwright';
}

/** Reads the text of a JSON file. Throws 400 `unknown_format`, or `invalid_graph` with the place of what is wrong. */
export function readImport(catalog: Catalog, text: string, label: string): ReadImport | OwnFile {
  const value = parseFile(text);
  if (isObject(value) && Array.isArray(value.nodes) && Array.isArray(value.edges))
    return { format: 'graphwright' };
  try {
    const file = readComfyFile(value, comfyNodeTypes);
    if (file !== undefined)
      return {
        format: file.format,
        ...createComfyBoard(file, comfyNodeTypes, label, { table: readPartnerTable(), catalog }),
      };
    const workflow = readFalWorkflow(value);
    if (workflow === undefined) throw createUnknownFormatError();
    const types = createFalTypes(catalog, getCatalogOrigin(catalog)?.models ?? []);
    return { format: 'fal', ...createFalBoard(workflow, types) };
  } catch (err) {
    if (err instanceof ComfyFormatError) throw new AppError('invalid_graph', err.message, { cause: err });
    throw err;
  }
}

/** Parses the file without text that the database cannot store. */
function parseFile(text: string): unknown {
  const problem = findShapeProblem(Buffer.from(text));
  if (problem !== undefined) throw new AppError('invalid_request', `The file ${problem}.`);
  try {
    const value = parsePythonJson(text);
    return SUSPECT_ESCAPE.test(text) || !text.isWellFormed() ? makeStorable(value) : value;
  } catch (err) {
    throw createUnknownFormatError(err);
  }
}

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Replaces half surrogate pairs and removes NUL. The depth of the value is limited. */
function makeStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(makeStorable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [String(makeStorable(key)), makeStorable(member)]),
  );
}

export const createUnknownFormatError = (cause?: unknown): AppError =>
  new AppError(
    'unknown_format',
    'The file is of no known format. You can import exports of this service, ComfyUI workflows as saved or exported in the API format, PNG and WebP images that contain one, and workflows of fal.',
    { cause },
  );
