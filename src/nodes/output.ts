// Declares output nodes, whose values are the results of a run.
import { any, defineNode } from './define.ts';
import { flattenInputs, NUMBERED_INPUTS } from './list.ts';

// Output nodes have no output ports. They return the value under the name of the input, which adds it to the state of
// the node.

export const preview = defineNode({
  nodeType: 'output:preview',
  label: 'Preview',
  description: 'Shows a result of any type.',
  category: 'output',
  inputs: { input: any('Input', { required: true }) },
  config: {},
  outputs: {},
  run: ({ input }) => ({ input }),
});

export const gallery = defineNode({
  nodeType: 'output:gallery',
  label: 'Gallery',
  description: 'Shows up to four results or lists of results as one list.',
  category: 'output',
  inputs: NUMBERED_INPUTS,
  config: {},
  outputs: {},
  run: values => ({ input: { type: 'LIST', items: flattenInputs(values) } }),
});
