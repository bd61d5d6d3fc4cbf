// The models that come with the program: the files of models/, read once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from './model.ts';
import { parseModel } from './parse-model.ts';

const FOLDER = join(import.meta.dirname, '../../../models');

let shipped: readonly Model[] | undefined;

/** Throws a ModelError where a file is not as it should be. */
export function readShippedModels(): readonly Model[] {
  shipped ??= readdirSync(FOLDER)
    .filter(file => file.endsWith('.json'))
    .sort()
    .flatMap(file => readModels(readFileSync(join(FOLDER, file), 'utf8')));
  return shipped;
}

/** What is in use: the shipped models, with these added or in place of them. */
export function withShipped(models: readonly Model[]): readonly Model[] {
  return [...new Map([...readShippedModels(), ...models].map(model => [model.nodeType, model])).values()];
}

/** The models of a file: `{ "models": […] }`. */
export function readModels(text: string): readonly Model[] {
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
