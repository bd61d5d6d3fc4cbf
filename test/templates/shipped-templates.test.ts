// Tests that every shipped workflow template passes lint, has a few labeled nodes and a note, and has a sample and a
// card within their limits.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import { createPlan } from '../../src/graph/plan.ts';
import { createNodeCatalog, findNeededProvider, findNode } from '../../src/nodes/catalog.ts';
import { SHIPPED_FOLDER } from '../../src/runs/templates/shipped-templates.ts';
import {
  MAX_CARD_BYTES,
  MAX_SAMPLE_BYTES,
  readTemplateFolder,
  type ShippedTemplate,
} from '../../src/runs/templates/template-files.ts';

const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
const MAX_CARDS_BYTES = 1024 * 1024;
const KEYS = {
  FAL_KEY: 'key',
  REPLICATE_API_TOKEN: 'key',
  OPENAI_API_KEY: 'key',
  ELEVENLABS_API_KEY: 'key',
};
const catalogWithProviders = createNodeCatalog({ SANDBOX_MODELS: true, ...KEYS });
const catalogWithoutProviders = createNodeCatalog({ SANDBOX_MODELS: true });
const { templates, problems } = readTemplateFolder(SHIPPED_FOLDER);

const resolve = (template: ShippedTemplate) =>
  template.resolveGraph(name => `https://cdn.example.com/${name}`);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Templates that run without a provider. */
const FREE_TEMPLATES = [
  'before-and-after',
  'blur-faces',
  'clean-up-a-recording',
  'cut-out-a-person',
  'logo-sting',
  'one-prompt-four-models',
  'podcast-audiogram',
  'product-reel',
  'quote-cards',
  'slideshow',
  'text-from-a-picture',
  'upscale',
];
const MAX_VIDEO = { lines: 480, seconds: 4.1 };

it('readTemplateFolder reads every shipped template', () => assert.deepEqual(problems, []));

it('at least 28 templates are shipped, twelve of which run without a provider', () => {
  assert.ok(templates.length >= 28);
  const freeTemplates = templates.filter(template => {
    const result = createPlan(resolve(template), catalogWithoutProviders);
    return result.ok && result.plan.nodes.every(({ unavailableReason }) => unavailableReason === undefined);
  });
  assert.deepEqual(freeTemplates.map(({ slug }) => slug).sort(), FREE_TEMPLATES);
});

it('the shipped templates include lists, a decision, an approval, a video and publishing', () => {
  const nodeTypes = new Set(templates.flatMap(({ graph }) => graph.nodes.map(({ data }) => data.nodeType)));
  for (const nodeType of ['utility:text_split', 'input:list', 'logic:if', 'logic:approval', 'video:renderer'])
    assert.ok(nodeTypes.has(nodeType), nodeType);
  assert.ok(templates.some(({ graph }) => JSON.stringify(graph).includes('Publish the workflow')));
});

it('the shipped templates and their cards have a limited total size', () => {
  const sizes = templates.map(({ folder, sample }) => ({
    card: statSync(join(folder, 'card.webp')).size,
    sample: Object.values(sample?.files ?? {}).reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  const cards = sizes.reduce((sum, { card }) => sum + card, 0);
  assert.ok(cards <= MAX_CARDS_BYTES, `${cards} bytes of cards`);
  assert.ok(sizes.reduce((sum, { sample }) => sum + sample, cards) <= MAX_TOTAL_BYTES);
});

for (const template of templates) {
  const graph = resolve(template);
  describe(template.slug, () => {
    it('has no issues if its providers are configured', () => {
      assert.deepEqual(lintGraph(graph, catalogWithProviders).issues, []);
    });

    it('has no issues except missing providers if no provider is configured', () => {
      const codes = new Set(lintGraph(graph, catalogWithoutProviders).issues.map(({ code }) => code));
      codes.delete('provider_not_configured');
      assert.deepEqual([...codes], []);
    });

    it('has 3 to 14 labeled nodes and one note', () => {
      const result = createPlan(graph, catalogWithProviders);
      assert.ok(result.ok);
      const { nodes } = result.plan;
      assert.ok(nodes.length >= 3 && nodes.length <= 14, `${nodes.length} nodes`);
      assert.equal(graph.nodes.filter(({ type }) => type === 'stickyNote').length, 1);
      assert.ok(
        nodes.some(({ nodeType }) => nodeType.startsWith('input:')),
        'a run can give an input',
      );
      for (const { id, label, nodeType } of nodes) {
        assert.notEqual(label, '', id);
        assert.notEqual(label, catalogWithProviders.find(nodeType)?.label, `${id} has the label of its type`);
      }
    });

    it('has a card and a sample result of every node that needs a provider', async () => {
      const { folder, sample, sources } = template;
      const card = readFileSync(join(folder, 'card.webp'));
      assert.ok(card.length <= MAX_CARD_BYTES);
      const { width, height, format } = await sharp(card).metadata();
      assert.deepEqual({ width, height, format }, { width: 640, height: 360, format: 'webp' });
      assert.ok(sample !== undefined);
      const files = Object.entries(sample.files);
      assert.ok(files.reduce((sum, [, { bytes }]) => sum + bytes, 0) <= MAX_SAMPLE_BYTES);
      const references = JSON.stringify([template.graph, sample.outputs]);
      for (const [name, file] of files) {
        assert.equal(sha256(readFileSync(join(folder, 'sample', name))), file.sha256, name);
        assert.ok(
          references.includes(`"sample:${name}"`) || references.includes(`"file":"${name}"`),
          `${name} is not used`,
        );
        if (!file.contentType.startsWith('video/')) continue;
        assert.ok((file.height ?? 0) <= MAX_VIDEO.lines, `${name} has ${file.height} lines`);
        assert.ok((file.duration ?? 0) <= MAX_VIDEO.seconds, `${name} takes ${file.duration} s`);
      }
      const result = createPlan(graph, catalogWithProviders);
      for (const { id, nodeType, config } of result.ok ? result.plan.nodes : []) {
        if (findNeededProvider(findNode(nodeType), config) === undefined) continue;
        assert.ok(sample.outputs[id] !== undefined, `${id} has no recorded result`);
        assert.ok(sources[id] !== undefined, `${id} does not say who made its result`);
      }
    });
  });
}
