// Runs a test double of an OpenTelemetry collector that accepts OTLP over HTTP and decodes the spans.
import type { Responder } from './receiver.ts';
import { startReceiver } from './receiver.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The resource attributes of the process. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** The number of all requests, including those that were refused. */
  readonly requestCount: number;
  find(name: RegExp): readonly CollectedSpan[];
  /** Replaces the response, and with it the recording of spans. Returns a function that restores both. */
  answer(responder: Responder): () => void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const receiver = await startReceiver();
  const acceptSpans: Responder = (res, { path, bytes }) => {
    if (path !== '/v1/traces') return res.writeHead(404).end();
    spans.push(...readSpans(bytes));
    return res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  };
  receiver.answer(acceptSpans);
  return {
    url: receiver.url,
    spans,
    get requestCount() {
      return receiver.received.length;
    },
    find: name => spans.filter(span => name.test(span.name)),
    answer: responder => {
      receiver.answer(responder);
      return () => receiver.answer(acceptSpans);
    },
    close: () => receiver.close(),
  };
}

/** The values of a message by field number: bytes or integers. */
type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** Decodes the parts of the protocol buffers wire format that are used here. */
function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(offset++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const readers: Readonly<Record<number, () => Buffer | bigint>> = {
    0: varint,
    1: () => take(8),
    2: () => take(Number(varint())),
    5: () => take(4),
  };
  while (offset < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`The field has the unknown wire type ${tag & 7}.`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

const getMessages = (message: Message, field: number): readonly Message[] =>
  (message.get(field) ?? []).map(value => readMessage(value as Buffer));
const getBytes = (message: Message, field: number): Buffer =>
  (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const getMs = (message: Message, field: number): number =>
  Number(getBytes(message, field).readBigUInt64LE()) / 1e6;

/** Decodes an ExportTraceServiceRequest into its spans. */
function readSpans(bytes: Buffer): readonly CollectedSpan[] {
  return getMessages(readMessage(bytes), 1).flatMap(group => {
    const resource = getMessages(group, 1).map(message => readAttributes(message, 1))[0] ?? {};
    return getMessages(group, 2).flatMap(scope => getMessages(scope, 2).map(span => toSpan(span, resource)));
  });
}

function toSpan(span: Message, resource: CollectedSpan['resource']): CollectedSpan {
  return {
    traceId: getBytes(span, 1).toString('hex'),
    spanId: getBytes(span, 2).toString('hex'),
    parentId: getBytes(span, 4).toString('hex'),
    name: getBytes(span, 5).toString(),
    kind: Number(span.get(6)?.[0] ?? 0n),
    startMs: getMs(span, 7),
    endMs: getMs(span, 8),
    isFailed: getMessages(span, 15).some(status => status.get(3)?.[0] === 2n),
    attributes: readAttributes(span, 9),
    resource,
  };
}

function readAttributes(message: Message, field: number): CollectedSpan['attributes'] {
  const pairs = getMessages(message, field).map(pair => {
    const value = readMessage(getBytes(pair, 2));
    const [kind, [content] = []] = [...value][0] ?? [];
    const parsedValue =
      kind === 1
        ? String(content)
        : kind === 2
          ? content === 1n
          : kind === 4
            ? (content as Buffer).readDoubleLE()
            : Number(content);
    return [getBytes(pair, 1).toString(), parsedValue] as const;
  });
  return Object.fromEntries(pairs);
}
