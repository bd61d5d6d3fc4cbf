// Tests the templates of the operator: the service logs damaged templates at startup and leaves them out.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, it } from 'node:test';
import { createLogger, type Logger } from '../../../src/lib/log.ts';
import {
  createShippedTemplates,
  SHIPPED_FOLDER,
  type ShippedTemplates,
} from '../../../src/runs/templates/shipped-templates.ts';

const SLUG = 'make-a-picture';
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-operator-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Copies a shipped template under another name and damages it. */
const createDamagedTemplate = async (
  name: string,
  change: (path: string) => Promise<void>,
): Promise<void> => {
  const path = join(folder, name);
  await cp(join(SHIPPED_FOLDER, SLUG), path, { recursive: true });
  await change(path);
};
const rewriteJson = async (
  path: string,
  change: (json: Record<string, unknown>) => object,
): Promise<void> => {
  const json = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify(change(json)));
};

/** Creates the list of templates, and returns what was logged before any request. */
function start(
  directories: string,
  hidden: readonly string[] = [],
): { readonly templates: ShippedTemplates; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const log: Logger = Object.assign(createLogger('silent'), {
    warn: (text: unknown) => void warnings.push(String(text)),
  });
  const settings = { WORKFLOW_TEMPLATES_DIR: directories, HIDE_TEMPLATES: [...hidden] };
  return { templates: createShippedTemplates(settings, log), warnings };
}

it('createShippedTemplates logs and leaves out each damaged template', async () => {
  const damages: Readonly<Record<string, readonly [(path: string) => Promise<void>, RegExp]>> = {
    'no-json': [path => writeFile(join(path, 'template.json'), '{'), /JSON/],
    'no-card': [path => rm(join(path, 'card.webp')), /card\.webp/],
    'large-card': [
      path => writeFile(join(path, 'card.webp'), Buffer.alloc(40_961)),
      /larger than 40960 bytes/,
    ],
    'no-title': [
      path => rewriteJson(join(path, 'template.json'), ({ title: _, ...rest }) => rest),
      /template\.json: .*title/,
    ],
    'lost-file': [path => rm(join(path, 'sample', 'picture.webp')), /picture\.webp/],
    'changed-file': [
      path => writeFile(join(path, 'sample', 'picture.webp'), 'x'),
      /sample\/picture\.webp has 1 bytes/,
    ],
    'unknown-node': [
      path =>
        rewriteJson(join(path, 'sample', 'results.json'), ({ outputs, ...rest }) => ({
          ...rest,
          outputs: { ...(outputs as object), unknown: {} },
        })),
      /unknown, which is not a node/,
    ],
    Capital: [() => Promise.resolve(), /folder name/],
  };
  for (const [name, [change]] of Object.entries(damages)) await createDamagedTemplate(name, change);
  await createDamagedTemplate('whole', () => Promise.resolve());
  const { templates, warnings } = start(folder);
  for (const [name, [, reason]] of Object.entries(damages)) {
    const warning = warnings.find(text => text.includes(`${join(folder, name)} `));
    assert.match(warning ?? '', reason, name);
    assert.equal(templates.find(`tpl_${name}`), undefined);
  }
  assert.equal(warnings.length, Object.keys(damages).length);
  assert.ok(templates.find('tpl_whole'));
  assert.ok(templates.find(`tpl_${SLUG}`));
});

it('createShippedTemplates logs a folder that cannot be read', () => {
  const { templates, warnings } = start(`${join(folder, 'nowhere')}${delimiter}${folder}`);
  assert.match(warnings[0] ?? '', /nowhere/);
  assert.ok(templates.find('tpl_whole'));
});

it('WORKFLOW_TEMPLATES_DIR and HIDE_TEMPLATES replace and hide shipped templates', async () => {
  const ownFolder = await mkdtemp(join(tmpdir(), 'graphwright-operator-'));
  try {
    await cp(join(SHIPPED_FOLDER, SLUG), join(ownFolder, SLUG), { recursive: true });
    await rewriteJson(join(ownFolder, SLUG, 'template.json'), json => ({ ...json, title: 'Ours' }));
    const { templates, warnings } = start(ownFolder, ['upscale']);
    assert.deepEqual(warnings, []);
    assert.equal(templates.find(`tpl_${SLUG}`)?.title, 'Ours');
    assert.equal(templates.find('tpl_upscale'), undefined);
    assert.deepEqual(
      start(ownFolder, ['all'])
        .templates.list()
        .map(({ title }) => title),
      ['Ours'],
    );
  } finally {
    await rm(ownFolder, { recursive: true, force: true });
  }
});
