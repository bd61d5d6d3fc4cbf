// Lists the workflow templates that are files: those shipped with the service, and those of WORKFLOW_TEMPLATES_DIR. The
// files are read once: at startup if the setting is set, otherwise when they are first needed.
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
 * Creates the list of templates. An operator's template replaces a shipped template with the same ID. Logs the problems
 * of templates when it reads them.
 */
export function createShippedTemplates(settings: TemplateSettings, log: Logger): ShippedTemplates {
  const { WORKFLOW_TEMPLATES_DIR: folders, HIDE_TEMPLATES: hidden } = settings;
  let byId: ReadonlyMap<string, ShippedTemplate> | undefined;
  const read = (): ReadonlyMap<string, ShippedTemplate> => {
    const shipped = hidden.includes('all')
      ? { templates: [], problems: [] }
      : readTemplateFolder(SHIPPED_FOLDER);
    const operatorFolders = folders?.split(delimiter).filter(Boolean).map(readTemplateFolder) ?? [];
    for (const problem of [shipped, ...operatorFolders].flatMap(({ problems }) => problems))
      log.warn(problem);
    const templates = [
      ...shipped.templates.filter(({ slug }) => !hidden.includes(slug)),
      ...operatorFolders.flatMap(folder => folder.templates),
    ];
    const unique = [...new Map(templates.map(template => [template.id, template])).values()];
    const sorted = unique.toSorted(
      (a, b) => SHELVES.indexOf(a.shelf) - SHELVES.indexOf(b.shelf) || (a.slug < b.slug ? -1 : 1),
    );
    return new Map(sorted.map(template => [template.id, template]));
  };
  // Read at startup, so that problems with an operator's templates are logged early.
  if (folders !== undefined) byId = read();
  const getTemplates = () => (byId ??= read());
  return { list: () => [...getTemplates().values()], find: id => getTemplates().get(id) };
}
