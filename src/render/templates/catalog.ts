// Lists all templates: those shipped with the service and those of the operator.
import { join } from 'node:path';
import { readSettings } from '../../lib/settings.ts';
import { readTemplates } from './read-templates.ts';
import type { Template } from './template.ts';

/** The shipped templates, in the order of their files. */
export const TEMPLATES = readTemplates(join(import.meta.dirname, '../../../templates/videos'));

let cached: ReadonlyMap<string, Template> | undefined;

/**
 * Templates by id; an operator's template overrides the shipped one of the same id. The first call throws a
 * SettingsError if a template in TEMPLATES_DIR is invalid.
 */
export function getTemplates(): ReadonlyMap<string, Template> {
  if (cached !== undefined) return cached;
  const { TEMPLATES_DIR } = readSettings();
  const ownTemplates = TEMPLATES_DIR === undefined ? [] : readTemplates(TEMPLATES_DIR);
  cached = new Map([...TEMPLATES, ...ownTemplates].map(template => [template.id, template]));
  return cached;
}

export function findTemplate(id: string): Template | undefined {
  return getTemplates().get(id);
}
