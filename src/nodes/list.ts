// Declares list nodes: pick an item, slice, collect values into a list.
import type { Value } from '../graph/types.ts';
import { any, defineNode, list, NodeError, number } from './define.ts';
import { requireShortList } from './value-checks.ts';

export const listItem = defineNode({
  nodeType: 'utility:list_item',
  forecastMode: 'by-shape',
  label: 'List item',
  description: 'Outputs one item of a list. Counts from 0; a negative index counts from the end.',
  category: 'utility',
  inputs: { list: list('List', { required: true }) },
  config: { index: number('Index', { default: 0, integer: true }) },
  outputs: { item: any('Item') },
  run: ({ list: items, index }) => {
    const item = items.at(index);
    if (item !== undefined) return { item };
    const count = items.length === 1 ? '1 item' : `${items.length} items`;
    throw new NodeError('no_such_item', `The list has ${count} and no index ${index}.`);
  },
});

export const listSlice = defineNode({
  nodeType: 'utility:list_slice',
  forecastMode: 'by-shape',
  label: 'Slice list',
  description:
    'Outputs the items from start up to but not including end. Negative numbers count from the end.',
  category: 'utility',
  inputs: { list: list('List', { required: true }) },
  config: {
    start: number('Start', { default: 0, integer: true }),
    end: number('End', { integer: true, description: 'Default: the end of the list.' }),
  },
  outputs: { list: list('List') },
  run: ({ list: items, start, end }) => ({ list: items.slice(start, end) }),
});

/** Ports for nodes that accept several values of any type. */
export const NUMBERED_INPUTS = {
  input1: any('Input 1'),
  input2: any('Input 2'),
  input3: any('Input 3'),
  input4: any('Input 4'),
};

type NumberedValues = { readonly [K in keyof typeof NUMBERED_INPUTS]: Value | undefined };

export const collect = defineNode({
  nodeType: 'logic:collect',
  forecastMode: 'by-shape',
  label: 'Collect',
  description: 'Collects all inputs into one list, in the order of the ports. Flattens lists.',
  category: 'logic',
  inputs: NUMBERED_INPUTS,
  config: {},
  outputs: { list: list('List') },
  run: values => ({ list: flattenInputs(values) }),
});

/** Returns the values at the numbered inputs as one flat list. */
export function flattenInputs({ input1, input2, input3, input4 }: NumberedValues): readonly Value[] {
  const values = [input1, input2, input3, input4].filter(value => value !== undefined);
  return requireShortList(values.flatMap(value => (value.type === 'LIST' ? value.items : [value])));
}
