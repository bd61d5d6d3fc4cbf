// Defines the nodes that the engine's tests use, each as small as possible.
import { any, choice, defineNode, list, NodeError, number, Suspend, text } from '../../src/nodes/define.ts';

export const give = defineNode({
  nodeType: 't:give',
  label: 'Give',
  category: 'input',
  inputs: {},
  config: { value: text('Value', { default: '' }) },
  outputs: { text: text('Text') },
  run: ({ value }) => ({ text: value }),
});

/** A list of texts: `items` is written with spaces between them. */
export const giveList = defineNode({
  nodeType: 't:list',
  label: 'Give list',
  category: 'input',
  inputs: {},
  config: { items: text('Items', { default: '' }) },
  outputs: { list: list('List') },
  run: ({ items }) => ({
    list: items
      .split(' ')
      .filter(Boolean)
      .map(item => ({ type: 'TEXT', text: item })),
  }),
});

export const giveNumber = defineNode({
  nodeType: 't:number',
  label: 'Give number',
  category: 'input',
  inputs: {},
  config: { value: number('Value', { default: 0 }) },
  outputs: { number: number('Number') },
  run: ({ value }) => ({ number: value }),
});

/** Joins its texts in parentheses. `late` makes it answer after a turn of the event loop. */
export const join = defineNode({
  nodeType: 't:join',
  label: 'Join',
  category: 'utility',
  inputs: { a: text('A'), b: text('B'), c: text('C') },
  config: { name: text('Name', { default: '' }), late: choice('Late', ['no', 'yes']) },
  outputs: { text: text('Text') },
  run: ({ a, b, c, name, late }) => {
    const joined = `${name}(${[a, b, c].filter(part => part !== undefined).join(',')})`;
    if (late === 'no') return { text: joined };
    return new Promise(resolve => setImmediate(resolve, { text: joined }));
  },
});

export const need = defineNode({
  nodeType: 't:need',
  label: 'Need',
  category: 'utility',
  inputs: { a: text('Main text', { required: true }), b: text('B') },
  config: { size: number('Size', { default: 5, min: 1, max: 10 }), mode: choice('Mode', ['fast', 'slow']) },
  outputs: { text: text('Text') },
  run: ({ a, b, size, mode }) => ({ text: `${a}/${b ?? '-'}/${size}/${mode}` }),
});

/** Passes its value on at `yes` or `no`, and leaves the other port without a value. */
export const fork = defineNode({
  nodeType: 't:fork',
  label: 'Fork',
  category: 'logic',
  inputs: { input: any('Input', { required: true }) },
  config: { way: choice('Way', ['yes', 'no']) },
  outputs: { yes: any('Yes'), no: any('No') },
  run: ({ input, way }) => ({ [way]: input }),
});

export const merge = defineNode({
  nodeType: 't:merge',
  label: 'Merge',
  category: 'logic',
  inputs: { a: any('A'), b: any('B') },
  config: {},
  outputs: { output: any('Output') },
  run: ({ a, b }) => ({ output: a ?? b }),
});

export const fail = defineNode({
  nodeType: 't:fail',
  label: 'Fail',
  category: 'utility',
  inputs: { a: text('A') },
  config: { with: text('With', { default: 'node' }) },
  outputs: { text: text('Text') },
  run: values => {
    if (values.with === 'node') throw new NodeError('as_asked', 'It failed as asked.');
    throw new Error('secret path /etc/x');
  },
});

export const wait = defineNode({
  nodeType: 't:wait',
  label: 'Wait',
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

export const count = defineNode({
  nodeType: 't:count',
  label: 'Count',
  category: 'utility',
  inputs: { list: list('List') },
  config: {},
  outputs: { number: number('Number') },
  run: ({ list: items }) => ({ number: items?.length ?? -1 }),
});

export const NODES = [give, giveList, giveNumber, join, need, fork, merge, fail, wait, count];
