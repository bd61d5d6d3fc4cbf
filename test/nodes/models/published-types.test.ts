// Tests the shipped fal models against the types that fal publishes: every name, choice and list that is sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FalEndpoint, readFalTypes } from '../../../scripts/fal-types.ts';
import { findFieldProblem } from '../../../src/graph/fields.ts';
import type { Model, ModelField } from '../../../src/nodes/models/model.ts';
import { readShippedModels } from '../../../src/nodes/models/shipped.ts';
import { NO_PEERS } from '../../support/peers.ts';

const types = NO_PEERS ? new Map<string, FalEndpoint>() : readFalTypes();
const models = readShippedModels().filter(({ provider }) => provider === 'fal');
/** Shipped models that the pinned types lack, because they were read from fal's pages or its model list. */
const UNTYPED = new Set([
  'fal-ai/flux-1/dev',
  'openai/gpt-image-2',
  'openai/gpt-image-2/edit',
  'bytedance/seedance-2.0/text-to-video',
  'bytedance/seedance-2.0/image-to-video',
  'bytedance/seedance-2.0/reference-to-video',
]);

/** Well-known model families, by their names in fal's endpoints. */
const MOST_USED = [
  'flux-2',
  'seedream/v5',
  'nano-banana-pro',
  'gpt-image-2',
  'veo3.1',
  'kling-video/v3',
  'seedance-2.0',
  'wan/v2.7',
  'hailuo-2.3',
  'ltx-2',
  'elevenlabs/tts/eleven-v3',
];

interface PublishedProperty {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: PublishedProperty;
}

function findModelFaults(model: Model): readonly string[] {
  const published = types.get(model.endpoint);
  if (published === undefined) return UNTYPED.has(model.endpoint) ? [] : ['is not among the endpoints'];
  const properties = published.input.properties as Readonly<Record<string, PublishedProperty>>;
  const sentNames = [...model.fields.map(({ id, as = id }) => as), ...Object.keys(model.fixed ?? {})];
  const unknownNames = sentNames
    .filter(name => !Object.hasOwn(properties, name))
    .map(name => `sends ${name}, which is unknown`);
  const requiredNames = published.input.required as readonly string[];
  const missingNames = requiredNames
    .filter(name => !sentNames.includes(name))
    .map(name => `does not send ${name}, which is required`);
  return [
    ...unknownNames,
    ...missingNames,
    ...model.fields.flatMap(field => findFieldFaults(field, properties)),
  ];
}

function findFieldFaults(
  field: ModelField,
  properties: Readonly<Record<string, PublishedProperty>>,
): readonly string[] {
  const { id, as = id, type, enum: options = [], inList } = field;
  const published = properties[as];
  if (published === undefined) return [];
  const unpublishedOptions = options.filter(
    option => published.enum !== undefined && !published.enum.includes(option),
  );
  const isList = published.type === 'array';
  const listFaults =
    type === 'JSON' || isList === (type === 'LIST' || inList === true) ? [] : [`${id}: list or not`];
  const isNumber = published.type === 'number' || published.type === 'integer';
  const numberFaults = isNumber === (type === 'NUMBER') || type === 'JSON' ? [] : [`${id}: number or not`];
  return [
    ...unpublishedOptions.map(option => `${id}: ${option} is no choice`),
    ...listFaults,
    ...numberFaults,
  ];
}

/** Common kinds of work, by node type and endpoint. */
const WORK: Readonly<Record<string, RegExp>> = {
  image: /^generate:/,
  edit: /^edit:.* .*(?:edit|kontext|modify)/,
  upscale: /upscal/,
  'background removal': /birefnet|background\/remove/,
  'text to video': /^video:.*text-to-video/,
  'image to video': /^video:.*image-to-video/,
  'lip sync': /lipsync/,
  'talking heads': /^talking:.*(?:omnihuman|avatar|fabric)/,
  speech: /^audio:.*(?:tts|speech)/,
  transcription: /^text:.*(?:speech-to-text|whisper)/,
  music: /^audio:.*music/,
  sound: /^audio:.*(?:sound|mmaudio)/,
  language: /^text:.*(?:llama|openrouter)/,
};

describe('the shipped models', () => {
  for (const [work, pattern] of Object.entries(WORK))
    it(`cover ${work}`, () => {
      const matches = readShippedModels().filter(({ nodeType, endpoint }) =>
        pattern.test(`${nodeType} ${endpoint}`),
      );
      assert.ok(matches.length >= 1, work);
    });

  it('are at least 150 models of all families', () => {
    const shippedModels = readShippedModels();
    assert.ok(shippedModels.length >= 150, String(shippedModels.length));
    const families = new Set(shippedModels.map(({ nodeType }) => nodeType.split(':')[0]));
    assert.deepEqual([...families].sort(), ['audio', 'edit', 'generate', 'talking', 'text', 'video']);
  });

  it('send fal every required property and no unknown properties', {
    skip: NO_PEERS,
  }, () => {
    const faults = models.flatMap(model => findModelFaults(model).map(fault => `${model.endpoint} ${fault}`));
    assert.deepEqual(faults, []);
  });

  it('read their result from the published path', { skip: NO_PEERS }, () => {
    for (const { endpoint, output } of models) {
      const published = types.get(endpoint)?.output.properties;
      if (published === undefined || output.path === undefined) continue;
      assert.ok(Object.hasOwn(published as object, output.path), `${endpoint} ${output.path}`);
    }
  });

  it('have limits for at least 95% of their numbers', () => {
    const numbers = models.flatMap(({ fields }) => fields.filter(({ type }) => type === 'NUMBER'));
    const limitedNumbers = numbers.filter(({ min, max }) => min !== undefined || max !== undefined);
    assert.ok(
      limitedNumbers.length >= numbers.length * 0.95,
      `${limitedNumbers.length} of ${numbers.length}`,
    );
  });

  it('accept only whole numbers for counts and seeds', () => {
    const COUNT_NAMES = /^(?:seed|num_.*|.*_steps|steps_num|max_tokens|max_new_tokens|batch_size|top_k)$/;
    const fractionalFields = models.flatMap(({ nodeType, fields }) =>
      fields
        .filter(({ id, type, integer }) => type === 'NUMBER' && COUNT_NAMES.test(id) && integer !== true)
        .map(({ id }) => `${nodeType} ${id}`),
    );
    assert.deepEqual(fractionalFields, []);
  });

  it('accept their own defaults', () => {
    const refusedDefaults = models.flatMap(({ endpoint, fields }) =>
      fields
        .filter(
          field =>
            field.default !== undefined &&
            findFieldProblem(field.default, { ...field, isPort: false }) !== undefined,
        )
        .map(({ id }) => `${endpoint} ${id}`),
    );
    assert.deepEqual(refusedDefaults, []);
  });

  for (const family of MOST_USED) {
    it(`have a price or state why they have none (${family})`, () => {
      const members = models.filter(({ endpoint }) => endpoint.includes(family));
      assert.ok(members.some(({ price }) => price !== null));
      const unexplained = members.filter(
        ({ price, priceSource }) =>
          price === null && !/USD|priced|billed|no price of it was found/.test(priceSource),
      );
      assert.deepEqual(
        unexplained.map(({ endpoint }) => endpoint),
        [],
      );
    });
  }

  it('have a price for at least 80% of the fal models', () => {
    const modelsWithPrice = models.filter(({ price }) => price !== null);
    assert.ok(modelsWithPrice.length >= models.length * 0.8, `${modelsWithPrice.length} of ${models.length}`);
  });
});
