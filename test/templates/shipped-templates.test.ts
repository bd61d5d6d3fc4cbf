// Every shipped workflow template: lints, is laid out, teaches one idea, and has a sample within its limits.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import { createPlan } from '../../src/graph/plan.ts';
import { findNeededProvider, findNode, makeCatalog } from '../../src/nodes/catalog.ts';
import { SHIPPED_FOLDER } from '../../src/services/templates/shipped-templates.ts';
import {
  MAX_CARD_BYTES,
  MAX_SAMPLE_BYTES,
  readTemplateFolder,
  type ShippedTemplate,
} from '../../src/services/templates/template-files.ts';

const WHOLE_BYTES = 8 * 1024 * 1024;
const CARDS_BYTES = 1024 * 1024;
const KEYS = {
  FAL_KEY: 'key',
  REPLICATE_API_TOKEN: 'key',
  OPENAI_API_KEY: 'key',
  ELEVENLABS_API_KEY: 'key',
};
const configured = makeCatalog({ SANDBOX_MODELS: true, ...KEYS });
const bare = makeCatalog({ SANDBOX_MODELS: true });
const { templates, problems } = readTemplateFolder(SHIPPED_FOLDER);

const resolve = (template: ShippedTemplate) => template.graphWith(name => `https://cdn.example.com/${name}`);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('reads every shipped template', () => assert.deepEqual(problems, []));

it('keeps all templates together and their cards small', () => {
  const sizes = templates.map(({ folder, sample }) => ({
    card: statSync(join(folder, 'card.webp')).size,
    sample: Object.values(sample?.files ?? {}).reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  const cards = sizes.reduce((sum, { card }) => sum + card, 0);
  assert.ok(cards <= CARDS_BYTES, `${cards} bytes of cards`);
  assert.ok(sizes.reduce((sum, { sample }) => sum + sample, cards) <= WHOLE_BYTES);
});

for (const template of templates) {
  const graph = resolve(template);
  describe(template.slug, () => {
    it('lints without a finding where its providers are set up', () => {
      assert.deepEqual(lintGraph(graph, configured).issues, []);
    });

    it('lints elsewhere with the missing providers alone', () => {
      const codes = new Set(lintGraph(graph, bare).issues.map(({ code }) => code));
      codes.delete('provider_not_configured');
      assert.deepEqual([...codes], []);
    });

    it('has 3 to 14 labeled nodes, and one note', () => {
      const planned = createPlan(graph, configured);
      assert.ok(planned.ok);
      const { nodes } = planned.plan;
      assert.ok(nodes.length >= 3 && nodes.length <= 14, `${nodes.length} nodes`);
      assert.equal(graph.nodes.filter(({ type }) => type === 'stickyNote').length, 1);
      for (const { id, label, nodeType } of nodes) {
        assert.notEqual(label, '', id);
        assert.notEqual(label, configured.find(nodeType)?.label, `${id} has the label of its type`);
      }
    });

    it('has a card and a sample of every node', async () => {
      const { folder, sample, sources } = template;
      const card = readFileSync(join(folder, 'card.webp'));
      assert.ok(card.length <= MAX_CARD_BYTES);
      const { width, height, format } = await sharp(card).metadata();
      assert.deepEqual({ width, height, format }, { width: 640, height: 360, format: 'webp' });
      assert.ok(sample !== undefined);
      const files = Object.entries(sample.files);
      assert.ok(files.reduce((sum, [, { bytes }]) => sum + bytes, 0) <= MAX_SAMPLE_BYTES);
      for (const [name, file] of files)
        assert.equal(sha256(readFileSync(join(folder, 'sample', name))), file.sha256, name);
      const planned = createPlan(graph, configured);
      for (const { id, nodeType, settings } of planned.ok ? planned.plan.nodes : []) {
        if (findNeededProvider(findNode(nodeType), settings) === undefined) continue;
        assert.ok(sample.outputs[id] !== undefined, `${id} has no recorded result`);
        assert.ok(sources[id] !== undefined, `${id} does not say who made its result`);
      }
    });
  });
}
