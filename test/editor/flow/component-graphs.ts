// Creates a component that joins two texts, and workflows that call it, for tests.
import type { FlowTests, SentGraph, StoredWorkflow } from './flow-page.ts';

export const createNode = (
  { x, y = 0 }: { readonly x: number; readonly y?: number },
  id: string,
  label: string,
  nodeType: string,
  config: object = {},
): object => ({
  id,
  type: 'basedNode',
  position: { x, y },
  data: {
    label,
    category: nodeType === 'component:call' ? 'logic' : nodeType.split(':')[0],
    nodeType,
    config,
  },
});

/** An edge between `node.port` and `node.port`. */
export function wire(id: string, from: string, to: string): object {
  const [source, sourceHandle] = from.split('.');
  const [target, targetHandle] = to.split('.');
  return { id, source, target, sourceHandle: `out-${sourceHandle}`, targetHandle: `in-${targetHandle}` };
}

const JOIN = [
  createNode({ x: 340 }, 'join', 'Join', 'utility:text_template', { template: '{{x}} and {{y}}' }),
  createNode({ x: 760 }, 'out', 'Sentence', 'output:preview'),
];

export const COMPONENT: SentGraph = {
  nodes: [
    createNode({ x: 0 }, 'left', 'Left', 'input:text', { value: 'a' }),
    createNode({ x: 0, y: 220 }, 'right', 'Right', 'input:text', { value: 'b' }),
    ...JOIN,
  ],
  edges: [
    wire('a', 'left.text', 'join.x'),
    wire('b', 'right.text', 'join.y'),
    wire('c', 'join.text', 'out.input'),
  ],
};

/** The component after its first input was renamed and its second input was replaced by a number. */
export const CHANGED: SentGraph = {
  nodes: [
    createNode({ x: 0 }, 'left', 'Left side', 'input:text', { value: 'a' }),
    createNode({ x: 0, y: 220 }, 'count', 'Count', 'input:number', { value: 2 }),
    ...JOIN,
  ],
  edges: [
    wire('a', 'left.text', 'join.x'),
    wire('b', 'count.number', 'join.y'),
    wire('c', 'join.text', 'out.input'),
  ],
};

export async function createComponent(flow: FlowTests, name: string): Promise<string> {
  return (await flow.send<StoredWorkflow>('POST', '/workflows', { name, ...COMPONENT })).id;
}

/** Creates a workflow whose node `call` calls the component, with texts at the given inputs. */
export async function createCaller(
  flow: FlowTests,
  component: string,
  name: string,
  inputs: readonly ('left' | 'right')[] = ['left', 'right'],
): Promise<string> {
  const config = { workflowId: component, version: 1 };
  const texts = inputs.map((input, index) =>
    createNode({ x: 0, y: index * 220 }, `text-${input}`, `Text ${input}`, 'input:text', {
      value: `a ${input}`,
    }),
  );
  const { id } = await flow.send<StoredWorkflow>('POST', '/workflows', {
    name,
    nodes: [
      ...texts,
      createNode({ x: 340 }, 'call', 'Joiner', 'component:call', config),
      createNode({ x: 760 }, 'preview', 'Preview', 'output:preview'),
    ],
    edges: [
      ...inputs.map(input => wire(input, `text-${input}.text`, `call.${input}`)),
      wire('out', 'call.out', 'preview.input'),
    ],
  });
  return id;
}

/** Returns the config of the call that the service stores. */
export async function readCall(
  flow: FlowTests,
  caller: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await flow.read(caller)).nodes.find(({ id }) => id === 'call')?.data.config;
}
