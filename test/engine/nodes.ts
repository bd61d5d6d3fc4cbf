// Defines the nodes that the engine's tests use, each as small as possible.
import {
  any,
  choice,
  defineNode,
  list,
  type NodeDeclaration,
  type NodeDefinition,
  NodeError,
  number,
  type Specs,
  Suspend,
  text,
} from '../../src/nodes/define.ts';

type NoSpecs = Readonly<Record<never, never>>;

/** Defines a node with defaults for everything but its type and function. */
export function defineTestNode<I extends Specs = NoSpecs, C extends Specs = NoSpecs>(
  declaration: Pick<NodeDeclaration<I, C>, 'nodeType' | 'run'> & Partial<NodeDeclaration<I, C>>,
): NodeDefinition {
  return defineNode<I, C>({
    label: declaration.nodeType,
    category: 'utility',
    inputs: {} as I,
    config: {} as C,
    outputs: {},
    ...declaration,
  });
}

export const textSource = defineTestNode({
  nodeType: 't:text',
  category: 'input',
  config: { value: text('Value', { default: '' }) },
  outputs: { text: text('Text') },
  run: ({ value }) => ({ text: value }),
});

/** Returns the words of `items` as a list of texts. */
export const listSource = defineTestNode({
  nodeType: 't:list',
  category: 'input',
  config: { items: text('Items', { default: '' }) },
  outputs: { list: list('List') },
  run: ({ items }) => ({
    list: items
      .split(' ')
      .filter(Boolean)
      .map(item => ({ type: 'TEXT', text: item })),
  }),
});

export const numberSource = defineTestNode({
  nodeType: 't:number',
  category: 'input',
  config: { value: number('Value', { default: 0 }) },
  outputs: { number: number('Number') },
  run: ({ value }) => ({ number: value }),
});

/** Joins its texts in parentheses. If `isAsync` is yes, a later turn of the event loop resolves the result. */
export const join = defineTestNode({
  nodeType: 't:join',
  inputs: { a: text('A'), b: text('B'), c: text('C') },
  config: { name: text('Name', { default: '' }), isAsync: choice('Asynchronous', ['no', 'yes']) },
  outputs: { text: text('Text') },
  run: ({ a, b, c, name, isAsync }) => {
    const joined = `${name}(${[a, b, c].filter(part => part !== undefined).join(',')})`;
    if (isAsync === 'no') return { text: joined };
    return new Promise(resolve => setImmediate(resolve, { text: joined }));
  },
});

export const requiresText = defineTestNode({
  nodeType: 't:requires_text',
  inputs: { a: text('Main text', { required: true }), b: text('B') },
  config: { size: number('Size', { default: 5, min: 1, max: 10 }), mode: choice('Mode', ['fast', 'slow']) },
  outputs: { text: text('Text') },
  run: ({ a, b, size, mode }) => ({ text: `${a}/${b ?? '-'}/${size}/${mode}` }),
});

/** Passes its input to the output port named by `to`. The other output port gets no value. */
export const branch = defineTestNode({
  nodeType: 't:branch',
  category: 'logic',
  inputs: { input: any('Input', { required: true }) },
  config: { to: choice('To', ['yes', 'no']) },
  outputs: { yes: any('Yes'), no: any('No') },
  run: ({ input, to }) => ({ [to]: input }),
});

export const merge = defineTestNode({
  nodeType: 't:merge',
  category: 'logic',
  inputs: { a: any('A'), b: any('B') },
  outputs: { output: any('Output') },
  run: ({ a, b }) => ({ output: a ?? b }),
});

export const fail = defineTestNode({
  nodeType: 't:fail',
  inputs: { a: text('A') },
  config: { error: text('Error', { default: 'expected' }) },
  outputs: { text: text('Text') },
  run: ({ error }) => {
    if (error === 'expected') throw new NodeError('planned_failure', 'The node failed as planned.');
    throw new Error('secret path /etc/x');
  },
});

export const wait = defineTestNode({
  nodeType: 't:wait',
  category: 'logic',
  inputs: { input: any('Input') },
  config: { kind: choice('Kind', ['time', 'decision']), ms: number('Milliseconds', { default: 1000 }) },
  outputs: { output: any('Output') },
  run: ({ input, kind, ms }, ctx) => {
    if (ctx.suspended === undefined) return new Suspend(kind, ctx.now() + ms);
    const { decision, untilMs, sinceMs } = ctx.suspended;
    if (kind === 'decision' && decision === undefined) return new Suspend(kind, untilMs);
    const waited =
      decision === undefined ? `waited ${untilMs - sinceMs}` : `decided ${JSON.stringify(decision)}`;
    return { output: input ?? { type: 'TEXT', text: waited } };
  },
});

export const count = defineTestNode({
  nodeType: 't:count',
  inputs: { list: list('List') },
  outputs: { number: number('Number') },
  run: ({ list: items }) => ({ number: items?.length ?? -1 }),
});

export const NODES = [
  textSource,
  listSource,
  numberSource,
  join,
  requiresText,
  branch,
  merge,
  fail,
  wait,
  count,
];
