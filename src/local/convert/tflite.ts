// Converts a TensorFlow Lite model of convolutions to ONNX. Reads only the operators that the shipped models use, and throws for
// any other. Tensors of images become NCHW.
import { OnnxGraph } from './onnx-graph.ts';
import { transpose } from './weights.ts';

/** A table of a FlatBuffers file. */
class Table {
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte = (index: number): number => this.#read(index, at => this.#bytes.readInt8(at), 0);
  integer = (index: number): number => this.#read(index, at => this.#bytes.readInt32LE(at), 0);
  table = (index: number): Table =>
    this.#read(index, at => new Table(this.#bytes, this.#follow(at)), EMPTY_TABLE);
  tables = (index: number): readonly Table[] =>
    this.#vector(index, 4, at => new Table(this.#bytes, this.#follow(at)));
  integers = (index: number): readonly number[] => this.#vector(index, 4, at => this.#bytes.readInt32LE(at));
  bytes = (index: number): Buffer => {
    const [start = 0, length = 0] = this.#read<readonly number[]>(index, at => this.#locate(at), []);
    return this.#bytes.subarray(start, start + length);
  };

  /** Reads the field if the table has it. The table starts with the distance to its list of fields. */
  #read<T>(index: number, read: (at: number) => T, missing: T): T {
    const fields = this.#at - this.#bytes.readInt32LE(this.#at);
    const entry = 4 + 2 * index;
    if (entry >= this.#bytes.readUInt16LE(fields)) return missing;
    const offset = this.#bytes.readUInt16LE(fields + entry);
    return offset === 0 ? missing : read(this.#at + offset);
  }

  #follow = (at: number): number => at + this.#bytes.readUInt32LE(at);

  #locate(at: number): readonly [start: number, length: number] {
    const start = this.#follow(at);
    return [start + 4, this.#bytes.readUInt32LE(start)];
  }

  #vector<T>(index: number, size: number, read: (at: number) => T): readonly T[] {
    const [start = 0, length = 0] = this.#read<readonly number[]>(index, at => this.#locate(at), []);
    return Array.from({ length }, (_, item) => read(start + item * size));
  }
}

/** A table without fields. */
const EMPTY_TABLE = new Table(Buffer.from([4, 0, 4, 0, 4, 0, 0, 0]), 4);

// The numbers of the format's schema.
const FLOAT32 = 0;
const FLOAT16 = 1;
const CUSTOM = 32;
const ACTIVATIONS: Readonly<Record<number, string>> = { 1: 'Relu' };
const SAME = 0;

interface LiteTensor {
  readonly shape: readonly number[];
  readonly type: number;
  readonly bytes: Buffer;
}

interface Step {
  readonly graph: OnnxGraph;
  readonly inputs: readonly number[];
  readonly options: Table;
  /** Returns the ONNX tensor of an input. */
  tensor(input: number): string;
  lite(index: number | undefined): LiteTensor;
  readonly result: LiteTensor;
}

type Convert = (step: Step) => string;

const CONVERTERS: Readonly<Record<string, Convert>> = {
  0: step => activate(step, step.options.byte(0), step.graph.add('Add', [step.tensor(0), step.tensor(1)])),
  1: ({ graph, tensor, lite, inputs, options }) => {
    const [, height, width] = lite(inputs[0]).shape;
    if (options.integer(3) !== width || options.integer(4) !== height)
      throw new Error('Only the average of the whole image is supported.');
    return graph.add('GlobalAveragePool', [tensor(0)]);
  },
  3: step => {
    const { options } = step;
    const kernel = reorder(step, 1, [0, 3, 1, 2]);
    return activate(step, options.byte(3), convolve(step, kernel, 1));
  },
  4: step => {
    const kernel = reorder(step, 1, [3, 0, 1, 2]);
    return activate(
      step,
      step.options.byte(4),
      convolve(step, kernel, step.lite(step.inputs[0]).shape[3] ?? 1),
    );
  },
  14: ({ graph, tensor }) => graph.add('Sigmoid', [tensor(0)]),
  18: step => activate(step, step.options.byte(0), step.graph.add('Mul', [step.tensor(0), step.tensor(1)])),
  19: ({ graph, tensor }) => graph.add('Relu', [tensor(0)]),
  23: ({ graph, tensor, result, options }) => {
    const [batch = 1, height = 1, width = 1, channels = 1] = result.shape;
    const sizes = graph.integers([batch, channels, height, width]);
    const isHalfPixel = options.byte(3) === 1;
    const edges = options.byte(2) === 1 ? 'align_corners' : 'asymmetric';
    return graph.add('Resize', [tensor(0), '', '', sizes], {
      mode: 'linear',
      coordinate_transformation_mode: isHalfPixel ? 'half_pixel' : edges,
    });
  },
  117: ({ graph, tensor }) => {
    const gate = graph.add('HardSigmoid', [tensor(0)], { alpha: { float: 1 / 6 }, beta: { float: 0.5 } });
    return graph.add('Mul', [tensor(0), gate]);
  },
  Convolution2DTransposeBias: step => {
    const kernel = reorder(step, 1, [3, 0, 1, 2]);
    return step.graph.add('ConvTranspose', [step.tensor(0), kernel, step.tensor(2)], { strides: [2, 2] });
  },
};

/** Converts the file. The output is named `output`, the input `input`. */
export function convertTflite(bytes: Buffer): Buffer {
  const model = new Table(bytes, bytes.readUInt32LE(0));
  const operators = model.tables(1).map(code => {
    const builtin = Math.max(code.byte(0), code.integer(3));
    return builtin === CUSTOM ? code.bytes(1).toString() : String(builtin);
  });
  const buffers = model.tables(4).map(buffer => buffer.bytes(0));
  const [subgraph = EMPTY_TABLE] = model.tables(2);
  const tensors = subgraph.tables(0).map(tensor => ({
    shape: tensor.integers(0),
    type: tensor.byte(1),
    bytes: buffers[tensor.integer(2)] ?? Buffer.alloc(0),
  }));
  const lite = (index = -1): LiteTensor => {
    const tensor = tensors[index];
    if (tensor === undefined) throw new Error(`The model has no tensor ${index}.`);
    return tensor;
  };
  const graph = new OnnxGraph();
  const names = new Map<number, string>();
  const [inputIndex = -1] = subgraph.integers(1);
  const [, height = 1, width = 1, channels = 1] = lite(inputIndex).shape;
  names.set(inputIndex, graph.input('input', [1, channels, height, width]));
  for (const operator of subgraph.tables(3)) {
    const name = operators[operator.integer(0)] ?? '';
    const inputs = operator.integers(1);
    const [output = -1] = operator.integers(2);
    // Weights are stored as 16-bit floats, which this operator widens.
    if (name === DEQUANTIZE) {
      tensors[output] = { ...lite(inputs[0]), shape: lite(output).shape };
      continue;
    }
    const convert = CONVERTERS[name];
    if (convert === undefined) throw new Error(`The operator ${name} is not supported.`);
    const tensor = (input: number): string => {
      const index = inputs[input] ?? -1;
      const known = names.get(index) ?? graph.weights(readFloats(lite(index)), lite(index).shape);
      names.set(index, known);
      return known;
    };
    const step = { graph, inputs, tensor, lite, options: operator.table(4), result: lite(output) };
    names.set(output, convert(step));
  }
  const [outputIndex = -1] = subgraph.integers(2);
  const [, outputHeight = 1, outputWidth = 1, outputChannels = 1] = lite(outputIndex).shape;
  graph.output('output', names.get(outputIndex) ?? '', [1, outputChannels, outputHeight, outputWidth]);
  return graph.encode();
}

const DEQUANTIZE = '6';

function readFloats({ bytes, type }: LiteTensor): Float32Array {
  // Copied, because floats need aligned bytes.
  const { buffer } = Uint8Array.from(bytes);
  if (type === FLOAT32) return new Float32Array(buffer);
  if (type === FLOAT16) return Float32Array.from(new Uint16Array(buffer), widenHalf);
  throw new Error(`Weights of type ${type} are not supported.`);
}

/** Returns the value of a 16-bit float. */
function widenHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  return exponent === 0 ? sign * fraction * 2 ** -14 : sign * (1 + fraction) * 2 ** (exponent - 15);
}

function reorder({ graph, lite, inputs }: Step, input: number, order: readonly number[]): string {
  const weights = lite(inputs[input]);
  const { values, shape } = transpose(readFloats(weights), weights.shape, order);
  return graph.weights(values, shape);
}

function convolve({ graph, tensor, options }: Step, kernel: string, group: number): string {
  return graph.add('Conv', [tensor(0), kernel, tensor(2)], {
    auto_pad: options.byte(0) === SAME ? 'SAME_UPPER' : 'VALID',
    strides: [options.integer(2), options.integer(1)],
    group,
  });
}

function activate({ graph }: Step, activation: number, tensor: string): string {
  if (activation === 0) return tensor;
  const operator = ACTIVATIONS[activation];
  if (operator === undefined) throw new Error(`The activation ${activation} is not supported.`);
  return graph.add(operator, [tensor]);
}
