// Tests how the model picker groups, filters and sorts models.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findModels,
  getModelGroup,
  getModelProvider,
  isOffered,
  MODEL_GROUPS,
} from '../../../editor/pages/editor/model-picker/models.ts';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const { entries, find } = createNodeCatalog({ SANDBOX_MODELS: true, FAL_KEY: 'key' } as never);
const models = entries.filter(isOffered);
const get = (nodeType: string): CatalogEntry => find(nodeType) ?? assert.fail(nodeType);
const SEARCH = { text: '', sort: 'best', provider: '' } as const;
const listTypes = (found: readonly CatalogEntry[]): readonly string[] =>
  found.map(({ nodeType }) => nodeType);

describe('the models of the picker', () => {
  it('each have a group with a title, and a provider', () => {
    for (const model of models) assert.ok(MODEL_GROUPS.includes(getModelGroup(model)), model.nodeType);
    assert.equal(getModelGroup(get('video:fal_seedance')), 'make-video');
    assert.equal(getModelGroup(get('edit:fal_birefnet')), 'cutout');
    assert.deepEqual(
      [
        'audio:fal_elevenlabs_tts_turbo_v2_5',
        'audio:elevenlabs_music',
        'text:openai_chat',
        'generate:comfyui',
      ].map(nodeType => getModelProvider(get(nodeType))),
      ['fal', 'elevenlabs', 'openai', 'comfyui'],
    );
    assert.equal(getModelProvider(get('generate:sandbox')), undefined);
  });

  it('are sorted by price and by speed, unknown ones last', () => {
    const timed = ['generate:fal_flux_dev', 'generate:fal_flux_schnell', 'generate:fal_flux_2_flex'].map(
      (nodeType, index) => ({ ...get(nodeType), medianSeconds: [4, 1, null][index] ?? null }),
    );
    const types = listTypes(timed);
    assert.deepEqual(listTypes(findModels(timed, { ...SEARCH, sort: 'speed' })), [
      types[1],
      types[0],
      types[2],
    ]);
    const prices = findModels(models, { ...SEARCH, sort: 'price' }).map(
      ({ estimatedCredits }) => estimatedCredits,
    );
    const known = prices.filter(price => price !== null);
    assert.deepEqual(
      prices.slice(0, known.length),
      known.toSorted((a, b) => a - b),
    );
  });

  it('are those of one provider, and start with the family of the model that is replaced', () => {
    const ofFal = findModels(models, { ...SEARCH, provider: 'fal', family: 'Recraft' });
    assert.ok(ofFal.every(model => getModelProvider(model) === 'fal'));
    assert.equal(ofFal[0]?.family, 'Recraft');
    const families = ofFal.filter(({ isAvailable }) => isAvailable !== false).map(({ family }) => family);
    // Models of a family are together.
    assert.equal(
      families.filter((family, index) => family !== families[index - 1]).length,
      new Set(families).size,
    );
    assert.ok(
      findModels(models, { ...SEARCH, provider: 'service' }).every(
        ({ nodeType, runsLocally }) => nodeType.endsWith(':sandbox') || runsLocally,
      ),
    );
  });

  it('include nodes that run on this machine, if they can', () => {
    const local = entries
      .filter(({ runsLocally, task }) => runsLocally && task !== undefined)
      .map(({ isAvailable: _, hidden: __, provider: ___, ...entry }): CatalogEntry => entry);
    assert.deepEqual(Object.fromEntries(local.map(entry => [entry.nodeType, getModelGroup(entry)])), {
      'edit:upscale_local': 'upscale',
      'edit:cutout_person_local': 'cutout',
      'edit:blur_faces_local': 'edit',
      'text:ocr_local': 'describe',
      'audio:clean_speech_local': 'edit',
      'utility:vectorize': 'edit',
    });
    assert.ok(local.every(isOffered));
    assert.ok(local.every(entry => !isOffered({ ...entry, hidden: true, isAvailable: false })));
    // They need no key, so that they come before models that do.
    const withoutKey = entries
      .filter(({ task, runsLocally }) => task === 'cutout' && !runsLocally)
      .map((entry): CatalogEntry => ({ ...entry, isAvailable: false }));
    const [first] = findModels([...withoutKey, ...local.filter(({ task }) => task === 'cutout')], SEARCH);
    assert.equal(first?.nodeType, 'edit:cutout_person_local');
    const withKey = withoutKey.map(({ isAvailable: _, ...entry }): CatalogEntry => entry);
    assert.equal(findModels([...local, ...withKey], SEARCH)[0]?.family, withKey[0]?.family);
  });

  it('are found by what they do', () => {
    const [first] = findModels(models, { ...SEARCH, text: 'remove background' });
    assert.equal(first?.task, 'cutout');
  });
});
