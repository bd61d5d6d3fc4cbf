// Finds the nodes of ours for the endpoints in workflows of fal: installed models, and utilities by the table that ships
// with the service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../graph/catalog.ts';
import { type FalField, type FalType, type FalTypes, guessType } from '../../graph/fal/board.ts';
import type { Json, JsonObject, PortType } from '../../graph/types.ts';
import type { Model } from './model.ts';
import { withShipped } from './shipped.ts';

const FILE = join(import.meta.dirname, '../../../models/imports/fal.json');

interface Utility {
  readonly nodeType: string;
  /** Names of fal to ports and fields of ours. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly config?: JsonObject;
  readonly only?: Readonly<Record<string, readonly Json[]>>;
  readonly output: string;
}

interface Table {
  readonly aliases: Readonly<Record<string, string>>;
  readonly utilities: Readonly<Record<string, Utility>>;
}

let table: Table | undefined;

/** Creates the lookup. `installed` are the models besides the shipped ones. */
export function createFalTypes(catalog: Catalog, installed: readonly Model[]): FalTypes {
  table ??= JSON.parse(readFileSync(FILE, 'utf8')) as Table;
  const { aliases, utilities } = table;
  const models = new Map(
    withShipped(installed)
      .filter(({ provider, deprecated }) => provider === 'fal' && deprecated === undefined)
      .map(model => [model.endpoint.replace(/^\//, ''), model]),
  );
  return {
    find(endpoint) {
      const name = endpoint.replace(/^\//, '');
      if (Object.hasOwn(utilities, name)) return toUtility(catalog, utilities[name] as Utility);
      const model = models.get(name) ?? models.get(Object.hasOwn(aliases, name) ? (aliases[name] ?? '') : '');
      return model === undefined ? undefined : toModelType(catalog, model);
    },
  };
}

function toUtility(
  catalog: Catalog,
  { nodeType, fields, config = {}, only, output }: Utility,
): FalType | undefined {
  const entry = catalog.find(nodeType);
  const port = entry?.outputs.find(({ id }) => id === output);
  if (entry === undefined || port === undefined) return undefined;
  const findField = (id: string): FalField | undefined => entry.inputs.find(input => input.id === id);
  return {
    nodeType,
    label: entry.label,
    category: entry.category,
    fields: new Map(
      Object.entries(fields).flatMap(([name, ids]) => {
        const found = (typeof ids === 'string' ? [ids] : ids)
          .flatMap(id => findField(id) ?? [])
          .map(field => (field.type === 'LIST' ? { ...field, itemType: guessType(name) } : field));
        const [first] = found;
        return first === undefined ? [] : [[name, typeof ids === 'string' ? first : found] as const];
      }),
    ),
    config,
    outputs: new Map(),
    defaultOutput: port,
    ...(only === undefined ? {} : { only }),
  };
}

function toModelType(catalog: Catalog, { nodeType, fields, label }: Model): FalType | undefined {
  const entry = catalog.find(nodeType);
  const [output] = entry?.outputs ?? [];
  if (entry === undefined || output === undefined) return undefined;
  return {
    nodeType,
    label,
    category: entry.category,
    fields: new Map(
      fields
        .filter(({ removed }) => removed !== true)
        .map(field => [field.as ?? field.id, { ...field, isPort: field.isPort === true } as FalField]),
    ),
    config: {},
    outputs: new Map(
      entry.outputs.slice(1).map(({ id, type }) => [id, { id, type: type as PortType }] as const),
    ),
    defaultOutput: output,
  };
}
