// Lists the workflow templates that come as files: the shipped ones, and those of WORKFLOW_TEMPLATES_DIR. Read once,
// when they are first needed.
import { delimiter, join } from 'node:path';
import type { Logger } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings.ts';
import { readTemplateFolder, SHELVES, type ShippedTemplate } from './template-files.ts';

export const SHIPPED_FOLDER = join(import.meta.dirname, '../../../templates/workflows');

export interface ShippedTemplates {
  /** Lists the templates by shelf, then by name. */
  list(): readonly ShippedTemplate[];
  /** Finds a template by its ID, `tpl_<slug>`. */
  find(id: string): ShippedTemplate | undefined;
}

type TemplateSettings = Pick<Settings, 'WORKFLOW_TEMPLATES_DIR' | 'HIDE_TEMPLATES'>;

/**
 * Creates the list of templates. An operator's template replaces a shipped one of the same name. Problems are logged
 * when the templates are read.
 */
export function createShippedTemplates(settings: TemplateSettings, log: Logger): ShippedTemplates {
  const { WORKFLOW_TEMPLATES_DIR: folders, HIDE_TEMPLATES: hidden } = settings;
  let byId: ReadonlyMap<string, ShippedTemplate> | undefined;
  const read = (): ReadonlyMap<string, ShippedTemplate> => {
    const shipped = hidden.includes('all')
      ? { templates: [], problems: [] }
      : readTemplateFolder(SHIPPED_FOLDER);
    const own = folders?.split(delimiter).filter(Boolean).map(readTemplateFolder) ?? [];
    for (const problem of [shipped, ...own].flatMap(({ problems }) => problems)) log.warn(problem);
    const all = [
      ...shipped.templates.filter(({ slug }) => !hidden.includes(slug)),
      ...own.flatMap(({ templates }) => templates),
    ];
    const unique = [...new Map(all.map(template => [template.id, template])).values()];
    const sorted = unique.toSorted(
      (a, b) => SHELVES.indexOf(a.shelf) - SHELVES.indexOf(b.shelf) || (a.slug < b.slug ? -1 : 1),
    );
    return new Map(sorted.map(template => [template.id, template]));
  };
  // Read at startup, so that problems with an operator's templates are logged early.
  if (folders !== undefined) byId = read();
  const all = () => (byId ??= read());
  return { list: () => [...all().values()], find: id => all().get(id) };
}
