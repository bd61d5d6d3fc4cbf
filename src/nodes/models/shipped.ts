// Reads the models that ship with the program, from the files in models/, once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from './model.ts';
import { parseModel } from './parse-model.ts';

const FOLDER = join(import.meta.dirname, '../../../models');

let shipped: readonly Model[] | undefined;

/** Reads the shipped models. Throws ModelError if a file is invalid. */
export function readShippedModels(): readonly Model[] {
  shipped ??= readdirSync(FOLDER)
    .filter(file => file.endsWith('.json'))
    .sort()
    .flatMap(file => parseModels(readFileSync(join(FOLDER, file), 'utf8')));
  return shipped;
}

/** Returns the shipped models plus these; a model of the same type replaces the shipped one. */
export function withShipped(models: readonly Model[]): readonly Model[] {
  return [...new Map([...readShippedModels(), ...models].map(model => [model.nodeType, model])).values()];
}

/** Parses the models of a file: `{ "models": […] }`. */
export function parseModels(text: string): readonly Model[] {
  const { models }: { readonly models?: unknown } = JSON.parse(text);
  if (!Array.isArray(models)) throw new Error('The file must be an object with a list "models".');
  return models.map(model => {
    try {
      return parseModel(model);
    } catch (err) {
      const name = String((model as { readonly nodeType?: unknown } | null)?.nodeType).slice(0, 100);
      throw new Error(`${name}: ${(err as Error).message}`, { cause: err });
    }
  });
}
