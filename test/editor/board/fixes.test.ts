// Tests the fix of each lint issue without a browser: the issue is gone afterwards, and the change can be undone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, invert } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { FIXES, findAllChanges, findFix } from '../../../editor/board/fixes/find-fix.ts';
import type { Fix } from '../../../editor/board/fixes/fix.ts';
import { clamp } from '../../../editor/board/fixes/settings.ts';
import type { InputDef } from '../../../src/graph/catalog.ts';
import { inspectGraph } from '../../../src/graph/inspect.ts';
import type { LintIssue } from '../../../src/graph/issues.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const entries = createNodeCatalog({ SANDBOX_MODELS: true } as never).entries;
const settingOf = (id: string, fields: Partial<InputDef> & Pick<InputDef, 'type'>): InputDef => ({
  id,
  label: id,
  isPort: false,
  ...fields,
});
const blurEntry = entries.find(({ nodeType }) => nodeType === 'utility:image_blur');
assert.ok(blurEntry);
/** Adds a node with settings of all kinds, and a type that is no longer offered. */
const catalog = createCatalog([
  ...entries,
  {
    ...blurEntry,
    nodeType: 'utility:probe',
    label: 'Probe',
    inputs: [
      settingOf('mode', { type: 'TEXT', enum: ['fast', 'slow'], default: 'fast' }),
      settingOf('count', { type: 'NUMBER', min: 1, max: 9, step: 2, default: 1 }),
      settingOf('flag', { type: 'BOOLEAN', default: false }),
      settingOf('names', { type: 'LIST', minItems: 1, maxItems: 2, default: ['a'] }),
      settingOf('gone', { type: 'TEXT', removed: true }),
      settingOf('title', { type: 'TEXT', default: '' }),
    ],
    outputs: [],
  },
  { ...blurEntry, nodeType: 'utility:needs', inputs: [settingOf('title', { type: 'TEXT', required: true })] },
  { ...blurEntry, nodeType: 'utility:old_blur', label: 'Old blur', deprecated: true },
]);

function node(id: string, nodeType: string, config: JsonObject = {}, data: object = {}): GraphNode {
  const entry = catalog.find(nodeType);
  return {
    id,
    type: entry?.customNodeType ?? 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: id, category: entry?.category ?? 'utility', nodeType, config, ...data },
  };
}

const edge = (id: string, from: string, to: string): GraphEdge => {
  const [source = '', sourceHandle = ''] = from.split('.');
  const [target = '', targetHandle = ''] = to.split('.');
  return { id, source, target, sourceHandle: `out-${sourceHandle}`, targetHandle: `in-${targetHandle}` };
};
const board = (nodes: readonly GraphNode[], edges: readonly GraphEdge[] = []): Board => ({
  fields: {},
  nodes,
  edges,
});
const lint = ({ nodes, edges }: Board): readonly LintIssue[] => inspectGraph(catalog, nodes, edges).issues;

function fixFor(before: Board, code: string): { readonly issue: LintIssue; readonly fix: Fix | undefined } {
  const issue = lint(before).find(each => each.code === code);
  assert.ok(issue, `${code}: ${JSON.stringify(lint(before))}`);
  return { issue, fix: findFix({ board: before, catalog, issue }) };
}

/** Returns the board after the fix, having checked that the issue is gone and that undo restores the board. */
function applyFix(before: Board, code: string, label?: string): Board {
  const { issue, fix } = fixFor(before, code);
  assert.equal(fix?.kind, 'change', code);
  if (label !== undefined) assert.equal(fix.label, label);
  const after = apply(before, fix.changes);
  assert.deepEqual(
    lint(after).filter(each => each.code === code && each.message === issue.message),
    [],
  );
  assert.equal(JSON.stringify(apply(after, invert(fix.changes))), JSON.stringify(before));
  return after;
}

const fixConfig = (code: string, config: JsonObject, label?: string): JsonObject | undefined =>
  applyFix(board([node('p', 'utility:probe', config)]), code, label).nodes[0]?.data.config;

const wires = ({ edges }: Board): readonly string[] =>
  edges.map(
    ({ source, sourceHandle, target, targetHandle }) => `${source} ${sourceHandle} ${target} ${targetHandle}`,
  );

describe('findFix for a setting', () => {
  it('renames a misspelled key and removes an unknown key', () => {
    assert.deepEqual(fixConfig('unknown_config_key', { titel: 'x' }, 'Rename to title'), { title: 'x' });
    assert.deepEqual(fixConfig('unknown_config_key', { titel: 'x', title: 'y' }), { title: 'y' });
    assert.deepEqual(fixConfig('unknown_config_key', { 'a/b~': 1, flag: true }, 'Remove a/b~'), {
      flag: true,
    });
    assert.deepEqual(fixConfig('removed_config_key', { gone: 'x' }), {});
  });

  it('uses the suggested value or the default', () => {
    assert.deepEqual(fixConfig('value_not_in_enum', { mode: 'slwo' }, 'Set to slow'), { mode: 'slow' });
    assert.deepEqual(fixConfig('value_not_in_enum', { mode: 'warp speed' }, 'Use default'), {});
    assert.deepEqual(fixConfig('wrong_value_type', { title: true }, 'Set to true'), { title: 'true' });
    assert.deepEqual(fixConfig('wrong_value_type', { flag: 1 }), { flag: true });
    assert.deepEqual(fixConfig('wrong_value_type', { names: 'b' }), { names: ['b'] });
    assert.deepEqual(fixConfig('wrong_value_type', { count: 'many' }), {});
    assert.deepEqual(fixConfig('config_normalized', { count: '3' }), { count: 3 });
  });

  it('moves a value into its bounds and to a step', () => {
    assert.deepEqual(fixConfig('value_out_of_range', { count: 40 }, 'Set to 9'), { count: 9 });
    assert.deepEqual(fixConfig('value_out_of_range', { count: '-4' }), { count: 1 });
    assert.deepEqual(fixConfig('value_out_of_range', { count: 3.9 }), { count: 3 });
    assert.deepEqual(fixConfig('value_out_of_range', { names: ['a', 'b', 'c'] }, 'Keep the first 2'), {
      names: ['a', 'b'],
    });
    assert.equal(
      fixFor(board([node('p', 'utility:probe', { names: [] })]), 'value_out_of_range').fix?.kind,
      'fill',
    );
    const fine = { ...settingOf('x', { type: 'NUMBER' }), min: 0.1, max: 1, step: 0.1 };
    assert.deepEqual([clamp(0.34, fine), clamp(7, fine), clamp(-1, fine)], [0.3, 1, 0.1]);
    assert.equal(clamp(5, { ...fine, min: 4, max: 4.05, integer: true, step: 3 }), 4);
    assert.equal(clamp(5, { ...fine, min: 4.2, max: 4.8, integer: true, step: 0 }), undefined);
  });

  it('points to the required field that has no value', () => {
    const { fix } = fixFor(board([node('n', 'utility:needs')]), 'required_field_missing');
    assert.deepEqual(fix?.kind === 'fill' && [fix.nodeId, fix.input.id], ['n', 'title']);
  });

  it('moves the values of params to config', () => {
    const before = board([
      node('p', 'utility:probe', { mode: 'fast', flag: true }, { params: { mode: 'slow', count: 3 } }),
    ]);
    const fixedBoard = applyFix(before, 'params_override_config');
    assert.deepEqual(fixedBoard.nodes[0]?.data.config, { mode: 'slow', flag: true });
    const withoutParams = applyFix(before, 'params_in_use');
    assert.deepEqual(withoutParams.nodes[0]?.data.config, { mode: 'slow', flag: true, count: 3 });
    assert.equal(withoutParams.nodes[0]?.data.params, undefined);
  });
});

describe('findFix for a node', () => {
  it('uses the suggested or a compatible type, or removes the node', () => {
    const fixedBoard = applyFix(board([node('a', 'utility:image_blurr')]), 'unknown_node_type');
    assert.equal(fixedBoard.nodes[0]?.data.nodeType, 'utility:image_blur');
    const model = board(
      [node('t', 'input:text'), node('m', 'generate:discontinued_by_its_maker'), node('o', 'output:preview')],
      [edge('1', 't.text', 'm.prompt'), edge('2', 'm.image', 'o.input')],
    );
    const replaced = applyFix(model, 'unknown_node_type', 'Use Sandbox image');
    assert.equal(replaced.nodes[1]?.data.nodeType, 'generate:sandbox');
    assert.deepEqual(wires(replaced), wires(model));
    const emptiedBoard = applyFix(
      board([node('x', 'never:heard-of-this-one')]),
      'unknown_node_type',
      'Remove node',
    );
    assert.deepEqual(emptiedBoard.nodes, []);
  });

  it('replaces a node type that is no longer available', () => {
    const before = board(
      [node('i', 'input:image'), node('b', 'utility:old_blur', { radius: 3 })],
      [edge('1', 'i.image', 'b.image')],
    );
    assert.equal(applyFix(before, 'deprecated_type').nodes[1]?.data.nodeType, 'utility:image_blur');
  });

  it('corrects the kind, the category and the ports of a node', () => {
    const probe = node('p', 'utility:probe');
    assert.equal(
      applyFix(board([{ ...probe, type: 'groupFrame' }]), 'wrong_type').nodes[0]?.type,
      'basedNode',
    );
    const nodeOfWrongCategory = node('p', 'utility:probe', {}, { category: 'utilities' });
    assert.equal(
      applyFix(board([nodeOfWrongCategory]), 'unknown_category').nodes[0]?.data.category,
      'utility',
    );
    const port = { id: 'mode', label: 'Mode', type: 'TEXT' };
    assert.deepEqual(
      applyFix(board([node('p', 'utility:probe', {}, { inputs: [port] })]), 'stray_port').nodes[0]?.data
        .inputs,
      [],
    );
  });

  it('gives an input a valid name that no other input has', () => {
    const inputs = board([
      node('a', 'input:text', {}, { name: 'words' }),
      node('b', 'input:text', {}, { name: 'words' }),
      node('c', 'input:text', {}, { name: 'not valid', label: 'Words' }),
    ]);
    const names = (code: string, label: string) =>
      applyFix(inputs, code, label).nodes.map(({ data }) => data.name);
    assert.deepEqual(names('duplicate_input_name', 'Rename to words_3'), ['words', 'words_3', 'not valid']);
    assert.deepEqual(names('invalid_input_name', 'Rename to words_2'), ['words', 'words', 'words_2']);
  });

  it('gives the duplicate of a node or edge a new id', () => {
    const duplicates = board([node('a', 'input:text'), node('a', 'input:number')]);
    assert.deepEqual(
      applyFix(duplicates, 'duplicate_node_id').nodes.map(({ id, data }) => [id, data.nodeType]),
      [
        ['a', 'input:text'],
        ['a-2', 'input:number'],
      ],
    );
    const nodes = [node('t', 'input:text'), node('c', 'utility:prompt_concat')];
    const edges = [edge('e', 't.text', 'c.text1'), edge('e', 't.text', 'c.text2')];
    assert.deepEqual(
      applyFix(board(nodes, edges), 'duplicate_edge_id').edges.map(({ id, targetHandle }) => [
        id,
        targetHandle,
      ]),
      [
        ['e', 'in-text1'],
        ['e-2', 'in-text2'],
      ],
    );
  });

  it('points to each required port that is not connected', () => {
    const before = board([node('m', 'utility:math', { operation: 'add' })]);
    const issues = lint(before).filter(({ code }) => code === 'required_port_unfed');
    const inputs = issues.map(issue => {
      const fix = findFix({ board: before, catalog, issue });
      return fix?.kind === 'fill' ? fix.input.id : undefined;
    });
    assert.deepEqual(inputs, ['a', 'b']);
  });

  it('corrects the members of groups', () => {
    const members = (after: Board): unknown =>
      after.nodes.find(({ id }) => id === 'h')?.data.config?.childNodeIds;
    const nodes = [
      node('a', 'utility:prompt_concat'),
      node('b', 'utility:prompt_concat'),
      node('c', 'utility:prompt_concat'),
    ];
    const group = (id: string, ...childNodeIds: string[]): GraphNode =>
      node(id, 'utility:group', { childNodeIds });
    assert.deepEqual(members(applyFix(board([...nodes, group('h', 'a', 'zz')]), 'unknown_group_member')), [
      'a',
    ]);
    const shared = board([...nodes, group('g', 'a'), group('h', 'a', 'b')]);
    assert.deepEqual(members(applyFix(shared, 'shared_group_member')), ['b']);
    const splitGroup = board(
      [...nodes, group('h', 'a', 'c')],
      [edge('1', 'a.text', 'b.text1'), edge('2', 'b.text', 'c.text1')],
    );
    assert.deepEqual(members(applyFix(splitGroup, 'group_against_wiring')), ['a', 'c', 'b']);
  });

  it('combines lists of different lengths', () => {
    const before = board(
      [
        node('l', 'input:list', { items: ['a', 'b'] }),
        node('m', 'input:list', { items: ['a', 'b', 'c'] }),
        node('c', 'utility:prompt_concat'),
      ],
      [edge('1', 'l.list', 'c.text1'), edge('2', 'm.list', 'c.text2')],
    );
    assert.deepEqual(applyFix(before, 'unequal_lists').nodes[2]?.data.config, { fanOut: 'product' });
  });

  it('links to the page where a provider is set up', () => {
    const issue = { severity: 'warning', code: 'provider_not_configured', message: '', nodeId: 'a' } as const;
    assert.equal(findFix({ board: board([]), catalog, issue })?.kind, 'providers');
  });
});

describe('findFix for an edge', () => {
  const text = node('t', 'input:text');
  const join = node('c', 'utility:prompt_concat');

  it('removes an edge whose source or target does not exist', () => {
    assert.deepEqual(applyFix(board([text], [edge('1', 't.text', 'x.prompt')]), 'unknown_target').edges, []);
    assert.deepEqual(applyFix(board([join], [edge('1', 'x.text', 'c.text1')]), 'unknown_source').edges, []);
  });

  it('uses the suggested or a compatible port, or removes the edge', () => {
    const suggestedPort = applyFix(
      board([text, join], [edge('1', 't.text', 'c.txt2')]),
      'unknown_port',
      'Use Text 2',
    );
    assert.deepEqual(wires(suggestedPort), ['t out-text c in-text2']);
    const compatiblePort = applyFix(
      board([text, join], [edge('1', 't.something-else', 'c.text2')]),
      'unknown_port',
    );
    assert.deepEqual(wires(compatiblePort), ['t out-text c in-text2']);
    const withoutPort = applyFix(
      board([text, node('b', 'utility:image_blur')], [edge('1', 't.text', 'b.nothing-here')]),
      'unknown_port',
    );
    assert.deepEqual(wires(withoutPort), []);
  });

  it('uses a list that already has another edge', () => {
    const after = applyFix(
      board(
        [node('v', 'input:video'), node('w', 'input:video'), node('all', 'utility:video_concat')],
        [edge('1', 'v.video', 'all.list'), edge('2', 'w.video', 'all.lst')],
      ),
      'unknown_port',
    );
    assert.deepEqual(wires(after), ['v out-video all in-list', 'w out-video all in-list']);
  });

  it('inserts a converter node or removes the edge', () => {
    const video = board(
      [node('v', 'input:video'), node('b', 'utility:image_blur')],
      [edge('1', 'v.video', 'b.image')],
    );
    const converted = applyFix(video, 'incompatible_types', 'Insert Video frame');
    const id = converted.nodes.at(-1)?.id ?? '';
    assert.match(id, /^video-frame-[0-9a-z]+$/);
    assert.deepEqual(wires(converted), [`v out-video ${id} in-video`, `${id} out-image b in-image`]);
    const imageToText = board([node('i', 'input:image'), join], [edge('1', 'i.image', 'c.text1')]);
    assert.deepEqual(wires(applyFix(imageToText, 'incompatible_types', 'Remove connection')), []);
  });

  it('keeps the one edge of a port whose value a run uses', () => {
    const before = board(
      [text, node('u', 'input:text'), join],
      [edge('1', 't.text', 'c.text1'), edge('2', 'u.text', 'c.text1'), edge('3', 't.text', 'c.text2')],
    );
    assert.deepEqual(
      applyFix(before, 'port_fed_twice').edges.map(({ id }) => id),
      ['2', '3'],
    );
  });

  it('removes edges only from the reported port', () => {
    const twice = ['1 t.text c.text1', '2 t.text c.text2', '3 u.text c.text1', '4 u.text c.text2'];
    const edges = twice.map(line => edge(...(line.split(' ') as [string, string, string])));
    const after = applyFix(board([text, node('u', 'input:text'), join], edges), 'port_fed_twice');
    assert.deepEqual(
      after.edges.map(({ id }) => id),
      ['2', '3', '4'],
    );
  });

  it('keeps edges without handles, which use free ports', () => {
    const bare = ['1', '2', '3'].map((id): GraphEdge => ({ id, source: 't', target: 'c' }));
    const before = board([text, join], [...bare, edge('4', 't.text', 'c.text1')]);
    assert.deepEqual(
      applyFix(before, 'port_fed_twice').edges.map(({ id }) => id),
      ['2', '3', '4'],
    );
  });

  it('removes the newest edge of a cycle', () => {
    const before = board(
      [text, join, node('d', 'utility:prompt_concat')],
      [edge('1', 'c.text', 'd.text1'), edge('2', 'd.text', 'c.text1'), edge('3', 't.text', 'c.text2')],
    );
    assert.deepEqual(
      applyFix(before, 'cycle').edges.map(({ id }) => id),
      ['1', '3'],
    );
  });
});

describe('findAllChanges', () => {
  it('leaves only issues that need a decision', () => {
    const before = board(
      [
        node('p', 'utility:probe', { count: 40, mode: 'x', lost: 1 }),
        node('m', 'utility:math'),
        node('t', 'input:text'),
      ],
      [edge('1', 't.text', 'gone.text'), edge('2', 'm.number', 'm.a')],
    );
    const { count, changes } = findAllChanges(before, catalog, lint(before));
    const after = apply(before, changes);
    assert.equal(count, 5);
    assert.deepEqual([...new Set(lint(after).map(({ code }) => code))], ['required_port_unfed']);
    assert.equal(JSON.stringify(apply(after, invert(changes))), JSON.stringify(before));
  });

  it('returns no fix for issues of an outdated board', () => {
    for (const code of Object.keys(FIXES)) {
      const issue = {
        severity: 'warning',
        code,
        message: '',
        nodeId: 'x',
        edgeId: 'x',
        path: '/nodes/7/data/config/x',
      } as const;
      const fix = findFix({ board: board([]), catalog, issue });
      assert.ok(fix === undefined || fix.kind === 'providers', code);
    }
  });
});
