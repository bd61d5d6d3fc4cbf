// Lists all templates: those shipped with the service and those of the operator.
import { join } from 'node:path';
import { readSettings } from '../../lib/settings.ts';
import { readTemplates } from './read-templates.ts';
import type { Template } from './template.ts';

/** The templates shipped with the service, ordered by file name. */
export const TEMPLATES = readTemplates(join(import.meta.dirname, '../../../templates/videos'));

let cached: ReadonlyMap<string, Template> | undefined;

/**
 * Returns all templates by id. An operator's template replaces a shipped one with the same id. The first call throws a
 * SettingsError if a template in TEMPLATES_DIR is invalid.
 */
export function getTemplates(): ReadonlyMap<string, Template> {
  if (cached !== undefined) return cached;
  const { TEMPLATES_DIR } = readSettings();
  const operatorTemplates = TEMPLATES_DIR === undefined ? [] : readTemplates(TEMPLATES_DIR);
  cached = new Map([...TEMPLATES, ...operatorTemplates].map(template => [template.id, template]));
  return cached;
}

export function findTemplate(id: string): Template | undefined {
  return getTemplates().get(id);
}
