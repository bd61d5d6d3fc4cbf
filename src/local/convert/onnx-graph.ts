// Writes ONNX models: collects the nodes and weights of a graph and encodes them in the format's protocol buffers. The same
// graph always gives the same bytes.

/** The version of the operators, which every supported ONNX Runtime knows. */
const OPSET = 13;
const IR_VERSION = 8;
const FLOAT = 1;
const INT64 = 7;

type Attribute = number | string | readonly number[] | { readonly float: number };

/** A dimension: a number, or the name of one that is known only when the model runs. */
export type Dimension = number | string;

/** Collects a graph. The names that the methods return are those of tensors. */
export class OnnxGraph {
  readonly #nodes: Buffer[] = [];
  readonly #weights: Buffer[] = [];
  readonly #inputs: Buffer[] = [];
  readonly #outputs: Buffer[] = [];
  #count = 0;

  input(name: string, shape: readonly Dimension[]): string {
    this.#inputs.push(encodeValue(name, shape));
    return name;
  }

  output(name: string, tensor: string, shape: readonly Dimension[]): void {
    this.#nodes.push(encodeNode('Identity', [tensor], name, {}));
    this.#outputs.push(encodeValue(name, shape));
  }

  /** Adds a node with one output. An empty input name means that the input is not used. */
  add(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    const name = `t${this.#count++}`;
    this.#nodes.push(encodeNode(operator, inputs, name, attributes));
    return name;
  }

  weights(values: Float32Array, shape: readonly number[]): string {
    return this.#constant(FLOAT, Buffer.from(values.buffer, values.byteOffset, values.byteLength), shape);
  }

  integers(values: readonly number[]): string {
    const bytes = Buffer.from(BigInt64Array.from(values, BigInt).buffer);
    return this.#constant(INT64, bytes, [values.length]);
  }

  encode(): Buffer {
    const graph = Buffer.concat([
      ...this.#nodes.map(node => field(1, node)),
      text(2, 'graph'),
      ...this.#weights.map(tensor => field(5, tensor)),
      ...this.#inputs.map(value => field(11, value)),
      ...this.#outputs.map(value => field(12, value)),
    ]);
    const opset = Buffer.concat([text(1, ''), integer(2, OPSET)]);
    return Buffer.concat([integer(1, IR_VERSION), text(2, 'graphwright'), field(7, graph), field(8, opset)]);
  }

  #constant(type: number, bytes: Buffer, shape: readonly number[]): string {
    const name = `t${this.#count++}`;
    const dimensions = shape.map(size => integer(1, size));
    this.#weights.push(Buffer.concat([...dimensions, integer(2, type), text(8, name), field(9, bytes)]));
    return name;
  }
}

function encodeNode(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>>,
): Buffer {
  return Buffer.concat([
    ...inputs.map(name => text(1, name)),
    text(2, output),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => field(5, encodeAttribute(name, value))),
  ]);
}

const FLOAT_ATTRIBUTE = 1;
const INTEGER_ATTRIBUTE = 2;
const TEXT_ATTRIBUTE = 3;
const INTEGERS_ATTRIBUTE = 7;

function encodeAttribute(name: string, value: Attribute): Buffer {
  if (typeof value === 'number')
    return Buffer.concat([text(1, name), integer(3, value), integer(20, INTEGER_ATTRIBUTE)]);
  if (typeof value === 'string')
    return Buffer.concat([text(1, name), text(4, value), integer(20, TEXT_ATTRIBUTE)]);
  if ('float' in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float);
    return Buffer.concat([text(1, name), key(2, 5), bytes, integer(20, FLOAT_ATTRIBUTE)]);
  }
  return Buffer.concat([
    text(1, name),
    ...value.map(item => integer(8, item)),
    integer(20, INTEGERS_ATTRIBUTE),
  ]);
}

function encodeValue(name: string, shape: readonly Dimension[]): Buffer {
  const dimensions = shape.map(size => field(1, typeof size === 'number' ? integer(1, size) : text(2, size)));
  const tensor = Buffer.concat([integer(1, FLOAT), field(2, Buffer.concat(dimensions))]);
  return Buffer.concat([text(1, name), field(2, field(1, tensor))]);
}

function varint(value: number): Buffer {
  // Negative numbers are written as 64 bits.
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const key = (number: number, wireType: number): Buffer => varint(number * 8 + wireType);
const integer = (number: number, value: number): Buffer => Buffer.concat([key(number, 0), varint(value)]);
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([key(number, 2), varint(bytes.length), bytes]);
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
