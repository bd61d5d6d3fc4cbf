// Converts the two kinds of TensorFlow.js models to ONNX: graphs, and networks of Keras layers. Reads only the operators that the
// shipped models use, and throws for any other. Tensors of images become NCHW.
import { OnnxGraph } from './onnx-graph.ts';
import { transpose } from './weights.ts';

interface WeightEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

export interface TfjsModel {
  readonly modelTopology: unknown;
  readonly weightsManifest: readonly {
    readonly paths: readonly string[];
    readonly weights: readonly WeightEntry[];
  }[];
}

interface Weights {
  readonly shape: readonly number[];
  /** 32-bit floats, or the bits of 32-bit integers. */
  readonly values: Float32Array;
  readonly integers: Int32Array;
}

/** Cuts the weights from the joined files. */
function readWeights({ weightsManifest }: TfjsModel, bytes: Buffer): ReadonlyMap<string, Weights> {
  // Copied, because floats need aligned bytes.
  const { buffer } = Uint8Array.from(bytes);
  let at = 0;
  const entries = weightsManifest
    .flatMap(({ weights }) => weights)
    .map(({ name, shape, dtype }) => {
      if (dtype !== 'float32' && dtype !== 'int32') throw new Error(`Weights of ${dtype} are not supported.`);
      const length = shape.reduce((product, size) => product * size, 1);
      const start = at;
      at += length * 4;
      const weights = {
        shape,
        values: new Float32Array(buffer, start, length),
        integers: new Int32Array(buffer, start, length),
      };
      return [name, weights] as const;
    });
  return new Map(entries);
}

function getWeights(weights: ReadonlyMap<string, Weights>, name: string): Weights {
  const found = weights.get(name);
  if (found === undefined) throw new Error(`The model has no weights ${name}.`);
  return found;
}

interface Layer {
  readonly class_name: string;
  readonly name: string;
  readonly config: {
    readonly filters?: number;
    readonly activation?: string;
    readonly padding?: string;
    readonly strides?: readonly number[];
    readonly size?: readonly number[];
    readonly interpolation?: string;
    readonly beta?: number;
    readonly axis?: number;
  };
  readonly inbound_nodes: readonly (readonly (readonly [name: string, ...rest: unknown[]])[])[];
}

interface LayersTopology {
  readonly model_config: {
    readonly config: {
      readonly layers: readonly Layer[];
      readonly output_layers: readonly (readonly [name: string, ...rest: unknown[]])[];
    };
  };
}

interface ConvertLayer {
  readonly layer: Layer;
  readonly graph: OnnxGraph;
  readonly inputs: readonly string[];
  readonly weights: ReadonlyMap<string, Weights>;
}

const LAYERS: Readonly<Record<string, (options: ConvertLayer) => string>> = {
  Conv2D: ({ layer: { name, config }, graph, inputs, weights }) => {
    const kernel = getWeights(weights, `${name}/kernel`);
    const bias = getWeights(weights, `${name}/bias`);
    if (config.activation !== 'linear')
      throw new Error(`The activation ${config.activation} is not supported.`);
    return graph.add(
      'Conv',
      [inputs[0] ?? '', addKernel(graph, kernel, [3, 2, 0, 1]), graph.weights(bias.values, bias.shape)],
      { auto_pad: config.padding === 'same' ? 'SAME_UPPER' : 'VALID', strides: config.strides ?? [1, 1] },
    );
  },
  Activation: ({ layer: { config }, graph, inputs }) => {
    if (config.activation !== 'relu')
      throw new Error(`The activation ${config.activation} is not supported.`);
    return graph.add('Relu', inputs);
  },
  Concatenate: ({ graph, inputs }) => graph.add('Concat', inputs, { axis: 1 }),
  Add: ({ graph, inputs }) => graph.add('Add', inputs),
  MultiplyBeta: ({ layer: { config }, graph, inputs }) => scale(graph, inputs[0] ?? '', config.beta ?? 1),
  UpSampling2D: ({ layer: { config }, graph, inputs }) => {
    const [height = 1, width = 1] = config.size ?? [];
    if (config.interpolation !== 'nearest') throw new Error('Only nearest upsampling is supported.');
    const scales = graph.weights(Float32Array.from([1, 1, height, width]), [4]);
    return graph.add('Resize', [inputs[0] ?? '', '', scales], {
      mode: 'nearest',
      coordinate_transformation_mode: 'asymmetric',
      nearest_mode: 'floor',
    });
  },
  PixelShuffle4x: ({ graph, inputs }) =>
    graph.add('DepthToSpace', [inputs[0] ?? ''], { blocksize: 4, mode: 'DCR' }),
};

/**
 * Converts a network of layers that enlarges images. The input and the output are RGB from 0 to 1; `range` is the largest value
 * of the network's own.
 */
export function convertTfjsLayers(model: TfjsModel, bytes: Buffer, range: number): Buffer {
  const { layers, output_layers: outputs } = (model.modelTopology as LayersTopology).model_config.config;
  const weights = readWeights(model, bytes);
  const graph = new OnnxGraph();
  const names = new Map<string, string>();
  for (const layer of layers) {
    if (layer.class_name === 'InputLayer') {
      const input = graph.input('input', [1, 3, 'height', 'width']);
      names.set(layer.name, range === 1 ? input : scale(graph, input, range));
      continue;
    }
    const convert = LAYERS[layer.class_name];
    if (convert === undefined) throw new Error(`The layer ${layer.class_name} is not supported.`);
    const inputs = (layer.inbound_nodes[0] ?? []).map(([name]) => names.get(name) ?? '');
    names.set(layer.name, convert({ layer, graph, inputs, weights }));
  }
  const output = names.get(outputs[0]?.[0] ?? '') ?? '';
  const scaled = range === 1 ? output : scale(graph, output, 1 / range);
  graph.output('output', scaled, [1, 3, 'outputHeight', 'outputWidth']);
  return graph.encode();
}

interface GraphNode {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: Readonly<Record<string, AttributeValue>>;
}

interface AttributeValue {
  /** Base64. */
  readonly s?: string;
  readonly list?: { readonly s?: readonly string[]; readonly i?: readonly (string | number)[] };
}

interface ConvertNode {
  readonly node: GraphNode;
  readonly graph: OnnxGraph;
  /** Returns the ONNX tensor of an input. */
  tensor(index: number): string;
  isWeights(index: number): boolean;
  weights(index: number): Weights;
}

const OPERATORS: Readonly<Record<string, (options: ConvertNode) => string>> = {
  _FusedConv2D: options => {
    const { node, graph, tensor, weights } = options;
    const bias = weights(2);
    const convolved = graph.add(
      'Conv',
      [tensor(0), addKernel(graph, weights(1), [3, 2, 0, 1]), graph.weights(bias.values, bias.shape)],
      getSlide(node),
    );
    const [first, ...others] = (node.attr?.fused_ops?.list?.s ?? []).map(decode);
    if (first !== 'BiasAdd' || others.some(name => name !== 'Relu'))
      throw new Error('Only a bias and Relu can be fused.');
    return others.length === 0 ? convolved : graph.add('Relu', [convolved]);
  },
  DepthwiseConv2dNative: ({ node, graph, tensor, weights }) => {
    const kernel = weights(1);
    return graph.add('Conv', [tensor(0), addKernel(graph, kernel, [2, 3, 0, 1])], {
      ...getSlide(node),
      group: kernel.shape[2] ?? 1,
    });
  },
  AddV2: ({ graph, tensor, weights, isWeights }) =>
    graph.add('Add', [tensor(0), isWeights(1) ? addChannels(graph, weights(1)) : tensor(1)]),
  Relu: ({ graph, tensor }) => graph.add('Relu', [tensor(0)]),
  MaxPool: ({ node, graph, tensor }) => {
    const [, height = 1, width = 1] = (node.attr?.ksize?.list?.i ?? []).map(Number);
    return graph.add('MaxPool', [tensor(0)], { ...getSlide(node), kernel_shape: [height, width] });
  },
  Pad: ({ graph, tensor, weights }) => {
    // The padding before and after each dimension, of NHWC.
    const { integers } = weights(1);
    const order = [0, 3, 1, 2];
    const pads = [
      ...order.map(index => integers[2 * index] ?? 0),
      ...order.map(index => integers[2 * index + 1] ?? 0),
    ];
    return graph.add('Pad', [tensor(0), graph.integers(pads)], { mode: 'constant' });
  },
  Reshape: ({ graph, tensor, weights }) => {
    // The values are in the order of NHWC.
    const image = graph.add('Transpose', [tensor(0)], { perm: [0, 2, 3, 1] });
    return graph.add('Reshape', [image, graph.integers([...weights(1).integers])]);
  },
  Identity: ({ tensor }) => tensor(0),
};

/** Converts a graph with one image of this size as input. The outputs keep their names. */
export function convertTfjsGraph(model: TfjsModel, bytes: Buffer, size: number): Buffer {
  const { node: nodes } = model.modelTopology as { readonly node: readonly GraphNode[] };
  const weights = readWeights(model, bytes);
  const graph = new OnnxGraph();
  const names = new Map<string, string>();
  const usedNames = new Set(nodes.flatMap(({ input = [] }) => input));
  for (const node of sortByInputs(nodes)) {
    if (node.op === 'Const') continue;
    if (node.op === 'Placeholder') {
      names.set(node.name, graph.input('input', [1, 3, size, size]));
      continue;
    }
    const convert = OPERATORS[node.op];
    if (convert === undefined) throw new Error(`The operator ${node.op} is not supported.`);
    const inputs = node.input ?? [];
    const result = convert({
      node,
      graph,
      tensor: index => names.get(inputs[index] ?? '') ?? '',
      isWeights: index => weights.has(inputs[index] ?? ''),
      weights: index => getWeights(weights, inputs[index] ?? ''),
    });
    names.set(node.name, result);
    if (!usedNames.has(node.name)) graph.output(node.name, result, ['batch', 'anchors', 'values']);
  }
  return graph.encode();
}

/** Returns the nodes so that each follows its inputs. */
function sortByInputs(nodes: readonly GraphNode[]): readonly GraphNode[] {
  const byName = new Map(nodes.map(node => [node.name, node]));
  const sorted = new Set<GraphNode>();
  const visit = (node: GraphNode): void => {
    if (sorted.has(node)) return;
    for (const name of node.input ?? []) {
      const input = byName.get(name);
      if (input !== undefined) visit(input);
    }
    sorted.add(node);
  };
  for (const node of nodes) visit(node);
  return [...sorted];
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString();

function getSlide({ attr }: GraphNode): { readonly auto_pad: string; readonly strides: readonly number[] } {
  const [, height = 1, width = 1] = (attr?.strides?.list?.i ?? []).map(Number);
  return {
    auto_pad: decode(attr?.padding?.s ?? '') === 'SAME' ? 'SAME_UPPER' : 'VALID',
    strides: [height, width],
  };
}

function addKernel(graph: OnnxGraph, { values, shape }: Weights, order: readonly number[]): string {
  const kernel = transpose(values, shape, order);
  return graph.weights(kernel.values, kernel.shape);
}

/** Adds one value for each channel, which every pixel gets. */
const addChannels = (graph: OnnxGraph, { values }: Weights): string =>
  graph.weights(values, [1, values.length, 1, 1]);

function scale(graph: OnnxGraph, tensor: string, factor: number): string {
  return graph.add('Mul', [tensor, graph.weights(Float32Array.from([factor]), [1])]);
}
