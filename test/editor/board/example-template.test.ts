// Tests that every model of the catalog has an example picture in the palette, from an existing template.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findExampleTemplate } from '../../../editor/pages/editor/add-node/example-template.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { SHIPPED_FOLDER } from '../../../src/runs/templates/shipped-templates.ts';
import { readTemplateFolder } from '../../../src/runs/templates/template-files.ts';

const { entries, find } = createNodeCatalog({ SANDBOX_MODELS: true });
const slugs = new Set(readTemplateFolder(SHIPPED_FOLDER).templates.map(({ slug }) => slug));

it('findExampleTemplate finds an existing template for every model that makes an image, a video or sound', () => {
  const kinds = new Set<string>();
  for (const entry of entries) {
    const isModel = entry.category === 'model' || entry.executionCost === 'paid';
    const template = findExampleTemplate(entry);
    if (template === undefined) {
      assert.ok(!isModel || entry.outputs[0]?.type === 'TEXT', `${entry.nodeType} has no example`);
      continue;
    }
    assert.ok(slugs.has(template), template);
    kinds.add(template);
  }
  assert.ok(kinds.size >= 11, [...kinds].join(' '));
});

it('findExampleTemplate returns the template that matches the task of the model', () => {
  for (const [nodeType, template] of [
    ['generate:fal_flux_dev', 'make-a-picture'],
    ['edit:fal_flux_kontext', 'edit-a-picture'],
    ['edit:fal_nano_banana_edit', 'edit-a-picture'],
    ['edit:fal_clarity_upscaler', 'upscale'],
    ['edit:fal_bria_background_remove', 'remove-background'],
    ['video:fal_kling', 'picture-to-video'],
    ['video:fal_seedance', 'text-to-video'],
    ['talking:fal_fabric', 'talking-head'],
    ['talking:fal_sync_lipsync_v2', 'localize-a-video'],
    ['text:fal_whisper', 'captions'],
  ] as const) {
    const entry = find(nodeType);
    assert.ok(entry !== undefined, nodeType);
    assert.equal(findExampleTemplate(entry), template, nodeType);
  }
});
