// All templates: those that ship with the service, and the operator's.
import { join } from 'node:path';
import { readSettings } from '../../lib/settings.ts';
import { readTemplates } from './read-templates.ts';
import type { Template } from './template.ts';

/** Those that ship with the service, in the order of their files. */
export const TEMPLATES = readTemplates(join(import.meta.dirname, '../../../templates/videos'));

let known: ReadonlyMap<string, Template> | undefined;

/** By id; one of the operator's stands for a shipped one of the same id. Throws a SettingsError, the first time, of what is wrong in TEMPLATES_DIR. */
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
