// Lists all templates: those shipped with the service, and the operator's.
import { join } from 'node:path';
import { readSettings } from '../../lib/settings.ts';
import { readTemplates } from './read-templates.ts';
import type { Template } from './template.ts';

/** The shipped templates, in the order of their files. */
export const TEMPLATES = readTemplates(join(import.meta.dirname, '../../../templates/videos'));

let known: ReadonlyMap<string, Template> | undefined;

/**
 * Templates by id; an operator's template overrides the shipped one of the same id. The first call throws a
 * SettingsError if a template in TEMPLATES_DIR is invalid.
 */
export function allTemplates(): ReadonlyMap<string, Template> {
  if (known !== undefined) return known;
  const { TEMPLATES_DIR } = readSettings();
  const own = TEMPLATES_DIR === undefined ? [] : readTemplates(TEMPLATES_DIR);
  known = new Map([...TEMPLATES, ...own].map(template => [template.id, template]));
  return known;
}

export function findTemplate(id: string): Template | undefined {
  return allTemplates().get(id);
}
