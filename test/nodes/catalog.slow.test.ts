// Tests the whole catalog: the shape of its entries, defaults, hidden entries, and which modules it loads.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { InputDef } from '../../src/graph/catalog.ts';
import { CATEGORIES, FIELD_TYPES } from '../../src/graph/types.ts';
import { createNodeCatalog, findNode } from '../../src/nodes/catalog.ts';
import { readShippedModels } from '../../src/nodes/models/shipped.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });

const DOCUMENTED_TYPES =
  `input:text input:number input:image input:video input:audio input:json input:list output:preview
  output:gallery utility:prompt_concat utility:text_template utility:text_split utility:text_replace
  utility:json_extract utility:json_build utility:math utility:list_item utility:list_slice utility:http_request
  utility:image_resize utility:image_crop utility:image_rotate utility:image_adjust utility:image_blur
  utility:image_composite utility:image_grid utility:image_convert utility:image_info utility:text_to_image_card
  utility:video_trim utility:video_concat utility:video_frame utility:video_info utility:audio_trim utility:audio_mix
  utility:audio_extract utility:audio_mux utility:speech video:renderer
  logic:if logic:switch logic:merge logic:collect logic:delay logic:approval generate:sandbox edit:sandbox
  video:sandbox talking:sandbox utility:group utility:sticky_note`.split(/\s+/);

describe('the catalog', () => {
  it('contains an implementation of every documented node', () => {
    for (const nodeType of DOCUMENTED_TYPES) {
      assert.ok(catalog.find(nodeType), nodeType);
      assert.equal(typeof findNode(nodeType)?.run, 'function', nodeType);
    }
  });

  it('describes every documented node', () => {
    for (const nodeType of DOCUMENTED_TYPES)
      assert.match(catalog.find(nodeType)?.description ?? '', /^[A-Z].*\.$/s, nodeType);
  });

  it('lists each node type once', () => {
    const types = catalog.entries.map(entry => entry.nodeType);
    assert.deepEqual(types, [...new Set(types)]);
  });

  it('gives every entry complete fields that can be JSON', () => {
    for (const entry of catalog.entries) {
      assert.match(entry.nodeType, /^[a-z]+:[a-z0-9_]+$/);
      assert.ok(entry.label.length > 0);
      assert.ok([...CATEGORIES, 'video'].includes(entry.category), entry.nodeType);
      const isFree = entry.executionCost === 'free';
      assert.deepEqual([entry.pricingModel === 'free', entry.estimatedCredits === 0], [isFree, isFree]);
      for (const port of [...entry.inputs, ...entry.outputs]) {
        assert.ok(FIELD_TYPES.includes(port.type), `${entry.nodeType}.${port.id}`);
        assert.ok(port.label.length > 0);
      }
      assert.ok(entry.outputs.every(output => output.isPort));
      assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry);
    }
  });

  it('declares only defaults that fit their own field', () => {
    for (const entry of catalog.entries) {
      for (const input of entry.inputs)
        assert.equal(findDefaultProblem(input), undefined, `${entry.nodeType}.${input.id}`);
    }
  });

  it('declares as integers all number fields of nodes, except those with a meaning between integers', () => {
    const fractional = `input:number.value utility:image_rotate.angle utility:image_adjust.brightness
      utility:image_adjust.contrast utility:image_adjust.saturation utility:image_adjust.hue utility:image_blur.radius
      utility:image_composite.opacity utility:video_trim.start utility:video_trim.duration utility:video_frame.at
      utility:audio_trim.start utility:audio_trim.duration utility:audio_trim.fadeIn utility:audio_trim.fadeOut
      utility:audio_trim.volume utility:audio_mix.volume1 utility:audio_mix.volume2 utility:audio_mix.volume3
      utility:audio_mix.volume4 utility:audio_mux.volume utility:audio_mux.originalVolume
      utility:text_to_image_card.radius video:sandbox.duration text:openai_chat.temperature`.split(/\s+/);
    const shippedModels = new Set(readShippedModels().map(({ nodeType }) => nodeType));
    const found = catalog.entries
      .filter(({ nodeType }) => !shippedModels.has(nodeType))
      .flatMap(({ nodeType, inputs }) =>
        inputs
          .filter(({ type, isPort, integer }) => type === 'NUMBER' && !isPort && integer !== true)
          .map(({ id }) => `${nodeType}.${id}`),
      );
    assert.deepEqual(found, fractional);
  });

  it('declares the seed of every node an integer', () => {
    const seeds = catalog.entries.flatMap(({ nodeType, inputs }) =>
      inputs.filter(({ id }) => /seed$/i.test(id)).map(({ integer }) => ({ nodeType, integer })),
    );
    assert.ok(seeds.length > 100);
    assert.deepEqual(
      seeds.filter(({ integer }) => integer !== true),
      [],
    );
  });

  it('uses each id once within a node', () => {
    for (const entry of catalog.entries) {
      const ids = entry.inputs.map(input => input.id);
      assert.deepEqual(ids, [...new Set(ids)], entry.nodeType);
    }
  });

  // Examples and clients rely on these names. Each value lists input ports > config > output ports.
  const DOCUMENTED_NAMES = {
    'input:text': ' > value > text',
    'input:number': ' > value > number',
    'input:json': ' > value > json',
    'input:image': ' > url mediaId > image',
    'input:video': ' > url mediaId > video',
    'input:audio': ' > url mediaId > audio',
    'input:list': ' > items itemType > list',
    'output:preview': 'input >  > ',
    'utility:prompt_concat': 'text1 text2 text3 text4 > separator > text',
    'utility:text_template': ' > template > text',
    'utility:text_split': 'text > separator > list',
    'utility:json_extract': 'json > paths > ',
    'utility:math': 'a b > operation > number',
    'utility:image_resize': 'image > width height fit background > image',
    'logic:if': 'value input > operator compare > true false',
    'logic:delay': 'input > ms > output',
    'logic:approval':
      'input > message assignees editableInputs reminderHours timeoutMs timeoutDecision > approved rejected',
    'generate:sandbox': 'prompt > width height seed style > image',
  };
  for (const [nodeType, names] of Object.entries(DOCUMENTED_NAMES)) {
    it(`keeps the documented names of ${nodeType}`, () => {
      const { ports, fields, outputs = [] } = listIds(nodeType);
      assert.equal([ports, fields, outputs].map(ids => ids.join(' ')).join(' > '), names);
    });
  }

  it('keeps the documented values, defaults and limits of fields', () => {
    const findField = (nodeType: string, id: string) =>
      catalog.find(nodeType)?.inputs.find(input => input.id === id);
    const enums = {
      'utility:math operation': 'add subtract multiply divide power modulo min max',
      'utility:image_resize fit': 'cover contain fill inside outside',
      'logic:if operator': 'equals not_equals contains greater less is_empty matches',
      'generate:sandbox style': 'gradient blocks rings',
    };
    for (const [name, values] of Object.entries(enums)) {
      const [nodeType = '', id = ''] = name.split(' ');
      assert.deepEqual(findField(nodeType, id)?.enum, values.split(' '), name);
    }
    assert.equal(findField('utility:prompt_concat', 'separator')?.default, ', ');
    assert.equal(findField('logic:delay', 'ms')?.max, 86_400_000);
    assert.equal(findField('logic:approval', 'timeoutMs')?.default, 7 * 86_400_000);
    assert.deepEqual(
      ['width', 'height'].map(id => findField('generate:sandbox', id)?.default),
      [1024, 1024],
    );
    assert.equal(findField('generate:sandbox', 'prompt')?.required, true);
  });

  it('names the only output of a node after its type', () => {
    const entriesWithOneOutput = catalog.entries.filter(({ outputs }) => outputs.length === 1);
    for (const { nodeType, outputs } of entriesWithOneOutput) {
      const [output] = outputs;
      if (output?.type === 'ANY') continue;
      assert.equal(output?.id, output?.type.toLowerCase(), nodeType);
    }
  });

  it('resolves an output for each path in the config', () => {
    const outputs = catalog.ports('utility:json_extract', { paths: { city: 'a.b.0', name: 'c' } }).outputs;
    assert.deepEqual(
      outputs.map(({ id }) => id),
      ['city', 'name'],
    );
  });

  it('states for each price when it was read', () => {
    for (const { nodeType, costUsd = 0, priceSource } of catalog.entries) {
      if (costUsd > 0) assert.match(priceSource ?? '', /20\d\d-\d\d-\d\d/, nodeType);
    }
  });

  it('lists the sandbox models as free models that run locally', () => {
    for (const family of ['generate', 'edit', 'video', 'talking']) {
      const { source, executionCost } = catalog.find(`${family}:sandbox`) ?? {};
      assert.deepEqual([source, executionCost], ['non-vendor', 'free']);
      assert.equal(createNodeCatalog({ SANDBOX_MODELS: false }).find(`${family}:sandbox`)?.hidden, true);
    }
  });

  it('states which provider a node lacks on this service', () => {
    const getMissingProvider = (nodeType: string, config = {}, settings = {}) =>
      createNodeCatalog({ SANDBOX_MODELS: true, ...settings }).ports(nodeType, config).unavailableReason;
    assert.match(getMissingProvider('generate:fal_flux_dev') ?? '', /^fal is not configured\. .*FAL_KEY/);
    assert.equal(getMissingProvider('generate:fal_flux_dev', {}, { FAL_KEY: 'k' }), undefined);
    assert.equal(getMissingProvider('generate:sandbox'), undefined);
    assert.equal(getMissingProvider('video:renderer'), undefined);
    const local = { SPEECH_COMMAND: 'say' };
    assert.equal(getMissingProvider('utility:speech', {}, local), undefined);
    assert.match(getMissingProvider('utility:speech', { engine: 'openai' }, local) ?? '', /OPENAI_API_KEY/);
    assert.match(getMissingProvider('utility:speech', { engine: '__proto__' }, {}) ?? '', /SPEECH_COMMAND/);
  });

  it('hides disabled sandbox models without removing them', () => {
    const catalogWithoutSandbox = createNodeCatalog({ SANDBOX_MODELS: false });
    assert.equal(catalogWithoutSandbox.find('generate:sandbox')?.hidden, true);
    assert.equal(catalogWithoutSandbox.find('edit:sandbox')?.hidden, true);
    assert.equal(catalogWithoutSandbox.find('input:text')?.hidden, undefined);
    assert.equal(catalog.find('generate:sandbox')?.hidden, undefined);
    assert.ok(findNode('generate:sandbox'));
  });

  it('marks notes and groups as canvas entries', () => {
    assert.equal(catalog.find('utility:group')?.customNodeType, 'groupFrame');
    assert.equal(catalog.find('utility:sticky_note')?.customNodeType, 'stickyNote');
    assert.equal(catalog.find('utility:group')?.source, 'registry-shell');
  });

  it('resolves input ports by the config', () => {
    const { inputs } = catalog.ports('utility:text_template', { template: '{{a}} and {{b}}' });
    assert.deepEqual(
      inputs.filter(input => input.isPort).map(input => input.id),
      ['a', 'b'],
    );
    assert.deepEqual(catalog.ports('no:such', {}), { inputs: [], outputs: [] });
    assert.equal(catalog.find('__proto__'), undefined);
  });

  it('loads neither sharp, the rasterizer nor the regex engine', async () => {
    const script = `await import('./src/nodes/catalog.ts');
      console.log(process.report.getReport().sharedObjects.filter(file => /sharp|skia|canvas/i.test(file)).join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout.trim(), '');
  });
});

function listIds(nodeType: string) {
  const entry = catalog.find(nodeType);
  const inputs = entry?.inputs ?? [];
  return {
    ports: inputs.filter(input => input.isPort).map(input => input.id),
    fields: inputs.filter(input => !input.isPort).map(input => input.id),
    outputs: entry?.outputs.map(output => output.id),
  };
}

function findDefaultProblem({
  type,
  default: value,
  enum: allowed,
  min,
  max,
  integer,
}: InputDef): string | undefined {
  if (value === undefined) return undefined;
  if (type === 'TEXT' && typeof value !== 'string') return 'is no text';
  if (type === 'NUMBER' && (typeof value !== 'number' || value < (min ?? value) || value > (max ?? value)))
    return 'is out of range';
  if (type === 'BOOLEAN' && typeof value !== 'boolean') return 'is neither true nor false';
  if (integer === true && !Number.isInteger(value)) return 'is no whole number';
  return allowed !== undefined && !allowed.includes(String(value)) ? 'is not allowed' : undefined;
}
